import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Clock, InboundMessage, Notifier, Platform, PlatformContext, Toolset } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type OpenAgent, openAgent } from '../../../host/src/agent/open-agent.ts'
import { ownNames } from '../../../host/src/commands/slash-table.ts'
import { type Gateway, openGateway } from '../../../host/src/gateway/gateway.ts'
import type { Contribution } from '../../../host/src/kernel/catalog/catalog.ts'
import { openPrices } from '../../../host/src/models/catalog/price-list.ts'
import { createMemoryDesk, createWritingDesk } from '../../../host/src/rpc/slash/slash-services.ts'
import { importSourceEntry } from '../source-entry.ts'
import type { TestHome } from '../test-home.ts'

const installRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** Where something is said, and by whom. */
type Where = Partial<Pick<InboundMessage, 'account' | 'conversation' | 'sender'>>

/** A service with one account, as a test sees it. */
export interface Service {
  connects: number
  /** Connections that are open now, and the most that were at a time. */
  open: number
  most: number
  /** Names of the commands in its menu. */
  menu: readonly string[]
  /** The settings of the newest connection. */
  config: unknown
  /** All that was sent there. */
  readonly said: readonly string[]
  /** The marks below messages, each with the id of its message. */
  readonly marks: readonly string[]
  /** The next message is refused: it may come after so many milliseconds. */
  holdNext(ms: number): void
  /** Writes as `ann`, in a direct message unless it is said otherwise, and resolves with the answer. */
  talk(text: string, where?: Where): Promise<string>
  /** Writes as somebody, and resolves once the gateway has taken it. */
  write(person: string, text: string, where?: Where): Promise<void>
  /** When the service was heard last; unset: now, whenever it is asked. */
  heardAt?: number
}

/** A gateway in this process with made-up platforms, which takes its settings again on demand. */
export interface ReloadGateway extends AsyncDisposable {
  readonly agent: OpenAgent
  readonly gateway: Gateway
  service(id: string): Service
}

export interface MadeUpPlatform {
  /** `messaging` unless said otherwise. */
  readonly door?: 'messaging' | 'request'
  /** Its module, where it runs in a child. */
  readonly code?: string
  readonly version?: string
  /** Name of the variable with the credential that only one connection may use. */
  readonly singletonLock?: string
  /** It shows marks below messages. */
  readonly reacts?: boolean
  /** Strangers who write to it get a code. */
  readonly pairs?: boolean
}

/** Puts a platform into a home, switched off. */
export function addPlatform(home: TestHome, id: string, made: MadeUpPlatform = {}): void {
  const { door = 'messaging', singletonLock, version = '1.0.0', code, reacts = false, pairs = false } = made
  const spec = {
    ...{ id, entry: 'dist/platform.js', label: id, door, reach: 'owner', onByDefault: true },
    ...{ capabilities: { setCommands: code === undefined, ...(reacts && { react: true }) }, limits: {} },
    ...(singletonLock ? { singletonLock } : {}),
    ...(pairs ? { unknownSenders: 'pair' } : {}),
  }
  const env = singletonLock ? [{ name: singletonLock, secret: true, required: false, prompt: 'a token' }] : []
  writeManifest(home, `platform-${id}`, { version, api: { platform: 1 }, env, contributes: { platforms: [spec] } })
  if (code === undefined) return
  home.write(`plugins/local/platform-${id}/dist/platform.js`, code)
  home.write(`plugins/local/platform-${id}/package.json`, '{ "type": "module" }')
}

/** Puts a toolset with one tool into a home, switched off. */
export function addToolset(home: TestHome, id: string, tool: string, more: object = {}): void {
  const parameters = { type: 'object', properties: {}, additionalProperties: false }
  const spec = {
    id,
    entry: 'dist/toolset.js',
    label: id,
    tools: [{ name: tool, description: 'made up', parameters, effect: 'none', parallel: true }],
  }
  writeManifest(home, `toolset-${id}`, { api: { toolset: 1 }, contributes: { toolsets: [spec] }, ...more })
}

/** Puts commands into a home, switched off. Without code they are data. */
export function addCommands(home: TestHome, id: string, commands: readonly object[], code?: string): void {
  const spec = { id, label: id, commands, ...(code === undefined ? {} : { entry: 'dist/commands.js' }) }
  writeManifest(home, `commands-${id}`, { api: { commands: 1 }, contributes: { commands: [spec] } })
  if (code === undefined) return
  home.write(`plugins/local/commands-${id}/dist/commands.js`, code)
  home.write(`plugins/local/commands-${id}/package.json`, '{ "type": "module" }')
}

/** Puts a set of hooks into a home, switched off. */
export function addHooks(home: TestHome, id: string, hooks: readonly object[], code: string): void {
  writeManifest(home, `hooks-${id}`, { api: { hooks: 1 }, contributes: { hooks: [{ id, label: id, hooks, entry: 'dist/hooks.js' }] } })
  home.write(`plugins/local/hooks-${id}/dist/hooks.js`, code)
  home.write(`plugins/local/hooks-${id}/package.json`, '{ "type": "module" }')
}

/** Puts an example of the SDK into a home, switched off: its manifest, without its code. */
export function addExample(home: TestHome, name: string): void {
  const file = join(installRoot, 'plugin-sdk', 'examples', name, 'agent.plugin.json')
  const { id, ...manifest } = JSON.parse(readFileSync(file, 'utf8')) as { readonly id: string }
  writeManifest(home, id, { ...manifest, $schema: undefined })
}

function writeManifest(home: TestHome, id: string, rest: object): void {
  const folder = join(home.home, 'plugins', 'local', id)
  mkdirSync(folder, { recursive: true })
  const about = { manifestVersion: 1, id, name: id, description: 'made up', version: '1.0.0', license: 'MIT' }
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify({ ...about, ...rest }))
}

/** Writes config.yaml: which plugins are on, and what `extra` their platforms get. */
export function writeSwitches(home: TestHome, on: readonly string[], extra: Readonly<Record<string, object>> = {}): void {
  const entries = Object.fromEntries(on.map((plugin) => [plugin, { enabled: true }]))
  const ids = on.filter((plugin) => plugin.startsWith('platform-')).map((plugin) => plugin.slice('platform-'.length))
  const platforms = Object.fromEntries(ids.map((id) => [id, { allow_from: ['ann'], extra: extra[id] ?? {} }]))
  home.write('config.yaml', `${JSON.stringify({ plugins: { entries }, platforms })}\n`)
}

interface Known extends Service {
  context: PlatformContext | undefined
  readonly said: string[]
  readonly marks: string[]
  readonly holds: number[]
  readonly waiting: ((text: string) => void)[]
  count: number
}

export interface ReloadGatewayOptions {
  readonly toolsets?: Readonly<Record<string, Toolset>>
  readonly notifiers?: Readonly<Record<string, Notifier>>
  readonly environment?: Readonly<Record<string, string>>
  /** With it, what is not bundled runs in children. */
  readonly childProgram?: string
  readonly clock?: Clock
  /** Told when a made-up platform connects. */
  readonly onConnect?: (id: string) => void
}

export async function openReloadGateway(home: TestHome, options: ReloadGatewayOptions = {}): Promise<ReloadGateway> {
  const { toolsets = {}, notifiers = {}, environment = {}, childProgram, clock, onConnect = () => undefined } = options
  const services = new Map<string, Known>()
  const service = (id: string): Known => {
    const known = services.get(id) ?? createService()
    services.set(id, known)
    return known
  }
  const agent = await openAgent({
    installRoot,
    environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline', AGENT_OFFLINE_OPEN: 'true', ...environment },
    profile: undefined,
    ...(childProgram === undefined ? {} : { childProgram }),
    ...(clock ? { clock } : {}),
    logName: 'gateway',
    note: () => undefined,
    ownCommands: ownNames,
    importEntry: async (contribution) => {
      if (contribution.plugin.source === 'bundled') return importSourceEntry(contribution)
      if (contribution.kind === 'commands' || contribution.kind === 'hooks') return importFile(contribution)
      if (contribution.kind === 'notifier') return { default: notifiers[contribution.id] }
      return {
        default:
          contribution.kind === 'toolset'
            ? toolsets[contribution.id]
            : createPlatform(service(contribution.id), () => onConnect(contribution.id)),
      }
    },
  })
  const { catalog, store } = agent
  const platforms = { states: () => undefined, wish: async () => undefined }
  const slash = {
    ...{ sessions: store.sessions, usage: store.usage, jobs: agent.jobs, prices: openPrices(agent), catalog, version: '0.0.0', platforms },
    memory: createMemoryDesk({ environment: home.environment }, agent),
    skillWriting: createWritingDesk({ environment: home.environment }, agent),
    model: async () => ({ said: '', kept: false }),
    ...{
      compress: async () => '',
      update: async () => '',
      reloadTools: async () => '',
      now: () => agent.clock.now(),
      alone: agent.turns.alone,
      agents: agent.turns.children,
      pressure: async () => undefined,
      checkpoints: agent.checkpoints,
      skills: agent.skills,
      setHome: async () => undefined,
      enablePlugin: async () => undefined,
      runCommand: agent.commands.run,
    },
  }
  const gateway = await openGateway({
    ...agent,
    services: slash,
    isOfflineByDefault: () => false,
    random: () => 0,
    locks: join(home.folder, 'locks'),
  })
  return {
    agent,
    gateway,
    service,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await agent.close()
    },
  }
}

function importFile({ plugin, spec }: Contribution): Promise<{ default: unknown }> {
  return import(/* @vite-ignore */ pathToFileURL(join(plugin.root, spec.entry ?? '')).href) as Promise<{ default: unknown }>
}

function createService(): Known {
  const known: Known = {
    ...{ connects: 0, menu: [], open: 0, most: 0, count: 0, config: undefined, said: [], context: undefined, waiting: [] },
    ...{ marks: [], holds: [], holdNext: (ms) => void known.holds.push(ms) },
    talk: async (text, where) => {
      const answer = new Promise<string>((resolve) => known.waiting.push(resolve))
      await known.write('ann', text, where)
      return answer
    },
    write: async (person, text, where = {}) => {
      if (!known.context) throw new Error('the platform is not connected')
      const people = { conversation: { id: person, kind: 'dm' }, sender: { id: person, isBot: false } } as const
      known.count += 1
      await known.context.receive({ ...people, id: `m${known.count}`, account: 'bot', text, addressed: true, ...where })
    },
  }
  return known
}

/** Refuses where its settings say `broken`. */
function createPlatform(service: Known, onConnect: () => void): Platform {
  return {
    connect: async (context) => {
      const { broken } = context.config as { broken?: boolean }
      if (broken) throw fail('PLATFORM_AUTH', { platform: context.about.contribution, detail: 'the settings say so' })
      onConnect()
      service.connects += 1
      service.open += 1
      service.most = Math.max(service.most, service.open)
      service.config = context.config
      service.context = context
      return {
        send: async ({ text }) => {
          const retryAfterMs = service.holds.shift()
          if (retryAfterMs !== undefined) return { status: 'refused', error: { code: 'SEND_REFUSED', params: {}, retryAfterMs } }
          service.said.push(text)
          service.waiting.shift()?.(text)
          return { status: 'sent', platformId: `${Date.now()}` }
        },
        react: async ({ id }, mood) => void service.marks.push(`${id} ${mood}`),
        setCommands: async (commands) => {
          service.menu = commands.map(({ name }) => name)
        },
        lastHeard: async () => service.heardAt ?? Date.now(),
        close: async () => {
          service.open -= 1
          if (service.context === context) service.context = undefined
        },
      }
    },
  }
}
