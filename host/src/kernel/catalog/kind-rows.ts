import type { ContractKind, ModelEvent, Specs } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { Installed } from '../installed/manifest-file.ts'
import { contractKinds, kinds } from '../kinds.ts'
import { because, type Reason } from '../reasons.ts'
import { findPlatformReason, findReason, type Judged, type Switches } from './switches.ts'

/** A contribution that may run, and what comes after it in the catalog has to do with. */
interface Ready<Kind extends ContractKind> {
  readonly plugin: Installed
  readonly spec: Specs[Kind]
}

type Lost = Error & { readonly retryAfterMs?: number | undefined }

/** What the host does with the contributions of one kind. */
export interface HostRow<Kind extends ContractKind> {
  /** When settings or code change: `swap` makes a new connection beside the old one, `reopen` opens it again at its next use, `read` only reads it. */
  readonly reload: 'swap' | 'reopen' | 'read'
  /** Of plugins that bring the same id: `none` gets it, until one of them is off, or the `first`. */
  readonly sameId: 'none' | 'first'
  /** Where its settings stand in config.yaml. */
  settings(spec: Specs[Kind], plugin: string, switches: Switches): { readonly key: string; readonly value: unknown }
  /** Why one does not run although its plugin does. */
  reason(judged: Judged<Specs[Kind]>, switches: Switches): Promise<Reason | undefined>
  /** Why one does not run beside those of its kind that come before it. */
  readonly taken?: (spec: Specs[Kind], switches: Switches, before: readonly Ready<Kind>[]) => Promise<Reason | undefined>
  /** Parts that people look for by name, with the command that lists them: `agent plugins why tool:NAME`. */
  readonly parts?: { readonly called: string; readonly listed: string; of(spec: Specs[Kind]): readonly string[] }
  /** A block of config.yaml that decides how it runs, beside its settings. */
  readonly reads?: 'model'
  /** The last item of its streams when its process is gone, where that is no exception. */
  readonly lost?: (id: string, error: Lost) => unknown
  /** What people call one. */
  name(id: string): string
}

type Unusual = { [Kind in ContractKind]?: Partial<HostRow<Kind>> }
/** Settings that are not those of the plugin stand in another place. */
type OwnSettings = { [Kind in ContractKind]: (typeof kinds)[Kind] extends { readonly settings: 'own' } ? Kind : never }[ContractKind]

/** Where a kind differs from the usual. One that has an entry, settings and variables like most is not among them. */
const unusual = {
  platform: {
    reload: 'swap',
    settings: ({ id }, _plugin, { platforms }) => ({ key: `platforms.${id}.extra`, value: platforms[id]?.extra }),
    reason: findPlatformReason,
    name: (id) => id,
  },
  provider: { reads: 'model', lost: describeLoss },
  toolset: { parts: { called: 'tool', listed: 'agent tools', of: ({ tools }) => tools.map(({ name }) => name) } },
  commands: { parts: { called: 'command', listed: 'agent plugins list', of: commandNames }, taken: findTakenCommand },
  skills: { sameId: 'first', taken: findTakenSkill },
} as const satisfies Unusual & { [Kind in OwnSettings]: Pick<HostRow<Kind>, 'settings'> }

/** What the host does with a kind of contribution. */
export function hostRow<Kind extends ContractKind>(kind: Kind): HostRow<Kind> {
  const { code, title } = kinds[kind]
  const own: Unusual = unusual
  return {
    reload: code === 'none' ? 'read' : 'reopen',
    sameId: 'none',
    settings: (_spec, plugin, { settings }) => ({ key: `plugins.entries.${plugin}.config`, value: settings.entries[plugin]?.config }),
    reason: findReason,
    name: (id) => `the ${title} ${id}`,
    ...(own[kind] as Partial<HostRow<Kind>> | undefined),
  }
}

/** The same for the name of a kind as lists show it, which may be one that this host does not know. */
export function findHostRow(kind: string): HostRow<never> | undefined {
  const known = contractKinds.find((each) => each === kind)
  return known && hostRow(known as never)
}

function commandNames({ commands }: Specs['commands']): readonly string[] {
  return commands.flatMap(({ name, aliases }) => [name, ...aliases])
}

/** The first that has a name of a command keeps it; a set is used as a whole or not at all. */
async function findTakenCommand(
  spec: Specs['commands'],
  { ownCommands }: Switches,
  before: readonly Ready<'commands'>[],
): Promise<Reason | undefined> {
  for (const command of commandNames(spec)) {
    if (ownCommands.includes(command)) return because('command-taken', { command, other: 'agent' })
    const owner = before.find((each) => commandNames(each.spec).includes(command))
    if (owner) return because('command-taken', { command, other: owner.plugin.manifest.id })
  }
  return undefined
}

/** A skill gives way to one of the same name: of the home, or of a plugin that comes before. */
async function findTakenSkill(
  { id }: Specs['skills'],
  { homeSkills }: Switches,
  before: readonly Ready<'skills'>[],
): Promise<Reason | undefined> {
  const folder = (await homeSkills()).get(id)
  if (folder !== undefined) return because('skill-taken', { by: folder, isPlugin: false })
  const other = before.find(({ spec }) => spec.id === id)
  return other && because('skill-taken', { by: other.plugin.manifest.id, isPlugin: true })
}

/** The turn is told like that the connection broke: it may be tried again. */
function describeLoss(provider: string, error: Lost): ModelEvent {
  const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
  return {
    type: 'failed',
    class: 'disconnected',
    error: toWireError(fail('MODEL_DISCONNECTED', { provider, detail: error.message }, wait)),
  }
}
