import type * as z from 'zod'
import { type Commands, commandsKind } from './commands.ts'
import { type ContextEngine, contextKind } from './context.ts'
import { type Gate, gateKind } from './gate.ts'
import { type Hooks, hooksKind } from './hooks.ts'
import { type ImageBackend, imageKind } from './image.ts'
import { type MemoryProvider, memoryKind } from './memory.ts'
import { type Notifier, notifierKind } from './notifier.ts'
import { type Panel, panelKind } from './panel.ts'
import { type Platform, platformKind } from './platform.ts'
import { type Provider, providerKind } from './provider.ts'
import type { KindRow } from './row.ts'
import { skillsKind } from './skills.ts'
import { type Toolset, toolsetKind } from './toolset.ts'
import { type WebBackend, webBackendKind } from './web-backend.ts'

export type { CommandAnswer, CommandRequest, Commands, CommandsManifest, OpenCommands } from './commands.ts'
export type { ContextEngine, ContextEngineManifest } from './context.ts'
export type { Gate, GateManifest, GatePerson, GateReturn, OpenGate } from './gate.ts'
export type { Hooks, HooksManifest, OpenHooks } from './hooks.ts'
export type { ImageBackend, ImageManifest } from './image.ts'
export type { MemoryManifest, MemoryProvider, OpenMemory } from './memory.ts'
export type { HostEvents, Notifier, NotifierEvent, NotifierManifest, NotifierPost, OpenNotifier } from './notifier.ts'
export type { OpenPanel, Panel, PanelBlock, PanelManifest, PanelRequest } from './panel.ts'
export type { Connection, Platform, PlatformManifest } from './platform.ts'
export type { ModelSource, Provider, ProviderManifest } from './provider.ts'
export type { SkillManifest } from './skills.ts'
export type { OpenToolset, ToolCall, ToolManifest, ToolResult, ToolRun, Toolset, ToolsetManifest } from './toolset.ts'
export type { WebBackend, WebBackendManifest } from './web-backend.ts'

const call = { how: 'call' } as const
const stream = { how: 'stream' } as const
const opened = { code: 'required', method: 'open', settings: 'shared' } as const

/** The kinds of contribution: plain data, which the host, the border, the build and the check read. */
export const kinds = {
  platform: {
    list: 'platforms',
    title: 'platform',
    code: 'required',
    settings: 'own',
    method: 'connect',
    gives: 'connection',
    members: {
      send: call,
      identity: call,
      edit: call,
      findSent: call,
      typing: call,
      endTyping: call,
      react: call,
      fetchMedia: stream,
      setCommands: call,
      listConversations: call,
      lastHeard: call,
      close: call,
    },
  },
  provider: { ...opened, list: 'providers', title: 'provider', code: 'optional', gives: 'modelSource', members: { stream, models: call } },
  toolset: {
    ...opened,
    list: 'toolsets',
    title: 'toolset',
    gives: 'openToolset',
    members: {
      'tools.*': { how: 'call', takes: ['toolCall'] },
      'dynamic.list': call,
      'dynamic.run': { how: 'call', takes: [undefined, 'toolCall'] },
      setUp: call,
    },
  },
  'web-backend': {
    ...opened,
    list: 'webBackends',
    title: 'web backend',
    gives: 'webSource',
    members: { search: call, extract: call, crawl: call },
  },
  image: { ...opened, list: 'images', title: 'image backend', gives: 'imageSource', members: { generate: stream } },
  context: { ...opened, list: 'context', title: 'context engine', gives: 'openContextEngine', members: { compress: call } },
  memory: {
    ...opened,
    list: 'memory',
    title: 'memory provider',
    gives: 'openMemory',
    members: {
      snapshot: { how: 'call', takes: ['memoryOwner'] },
      change: { how: 'call', takes: ['memoryOwner'] },
      recall: { how: 'call', takes: ['memoryOwner'] },
    },
  },
  notifier: { ...opened, list: 'notifiers', title: 'notifier', gives: 'openNotifier', members: { hear: call } },
  panel: { ...opened, list: 'panels', title: 'panel', gives: 'openPanel', members: { run: call } },
  gate: { ...opened, list: 'gates', title: 'gate', gives: 'openGate', members: { check: call, begin: call, finish: call, end: call } },
  hooks: { ...opened, list: 'hooks', title: 'hooks', gives: 'openHooks', members: { 'hooks.*': call } },
  commands: { ...opened, list: 'commands', title: 'commands', code: 'optional', gives: 'openCommands', members: { run: call } },
  skills: { list: 'skills', title: 'skill', code: 'none', file: 'SKILL.md' },
} as const satisfies Readonly<Record<string, KindRow>>

/** The kinds of contributions. */
export type ContractKind = keyof typeof kinds
/** Kinds whose contributions may have code. */
export type CodeKind = { [Kind in ContractKind]: (typeof kinds)[Kind] extends { readonly code: 'none' } ? never : Kind }[ContractKind]
/** Kinds whose contributions are read and never run. */
export type DataKind = Exclude<ContractKind, CodeKind>
/** The name of a kind's list in a manifest and in a definition. */
export type ListOf<Kind extends ContractKind> = (typeof kinds)[Kind]['list']

export const contractKinds = Object.keys(kinds) as readonly ContractKind[]
export const codeKinds = contractKinds.filter((kind): kind is CodeKind => kinds[kind].code !== 'none')
export const dataKinds = contractKinds.filter((kind): kind is DataKind => kinds[kind].code === 'none')

/** What each kind adds to a manifest. Apart from the table, because it needs zod, and nothing that starts shall load that. */
export const contracts = {
  platform: platformKind,
  provider: providerKind,
  toolset: toolsetKind,
  'web-backend': webBackendKind,
  image: imageKind,
  context: contextKind,
  memory: memoryKind,
  notifier: notifierKind,
  panel: panelKind,
  gate: gateKind,
  hooks: hooksKind,
  commands: commandsKind,
  skills: skillsKind,
} as const satisfies { readonly [Kind in ContractKind]: unknown }

/** One contribution of each kind, as a manifest has it. */
export type Specs = { readonly [Kind in ContractKind]: z.output<(typeof contracts)[Kind]['spec']> }

/** Default exports of the entries of each kind, for settings of the type `C`. */
export interface Entries<C = unknown> {
  readonly platform: Platform<C>
  readonly provider: Provider<C>
  readonly toolset: Toolset<C>
  readonly 'web-backend': WebBackend<C>
  readonly image: ImageBackend<C>
  readonly context: ContextEngine<C>
  readonly memory: MemoryProvider<C>
  readonly notifier: Notifier<C>
  readonly panel: Panel<C>
  readonly gate: Gate<C>
  readonly hooks: Hooks<C>
  readonly commands: Commands<C>
}

/** The lists of a manifest. */
export type Lists = { readonly [Kind in ContractKind as ListOf<Kind>]: readonly Specs[Kind][] }

/** What a plugin contributes of one kind. */
export function specsOf<Kind extends ContractKind>({ contributes }: { readonly contributes: Lists }, kind: Kind): readonly Specs[Kind][] {
  const lists: Readonly<Record<string, readonly unknown[]>> = contributes
  return lists[kinds[kind].list] as readonly Specs[Kind][]
}

/** The folder of plugins that are mainly of one kind: `web-backends`. */
export function folderOf(kind: ContractKind): string {
  return kinds[kind].list.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
