import type { Context } from '../contract/context.ts'
import type { AgentError } from '../contract/errors.ts'
import type { CodeKind, Entries } from '../kinds/kinds.ts'
import type { BorderLink } from './link.ts'
import { openRemote, type Remote } from './remote.ts'
import { openScope } from './scope.ts'

export interface ServeEntryOptions {
  readonly kind: CodeKind
  readonly entry: object
  readonly link: BorderLink
  /** What a context has on the side of the plugin. */
  readonly clock: Context['clock']
  readonly fetch: Context['fetch']
  /** Names what keeps this process alive, where it is the plugin's own. */
  readonly resources?: () => readonly string[]
  /** Values that may not cross are listed and replaced by null; otherwise they throw. */
  readonly lenient?: boolean
  /** Hears where in the plugin an error without a code comes from. */
  readonly onFault?: (error: Error) => void
}

/** What the host asks of the side where the plugin runs, beside the contract. */
export interface Control {
  /** Ends the contexts: signal first, then their effects in reverse order. Answers what went wrong meanwhile. */
  dispose(): Promise<readonly string[]>
  /** Calls and streams of the host that still run. */
  busy(): Promise<number>
  resources(): Promise<readonly string[]>
  /** Values of the plugin that could not cross, by path. */
  violations(): Promise<readonly string[]>
}

/** The side of the border where the plugin's code runs. */
export function serveEntry(options: ServeEntryOptions): Remote {
  const { kind, entry, link, clock, fetch, onFault, resources = () => [], lenient = false } = options
  let scope = openScope('The plugin')
  const violations: string[] = []
  const control: Control = {
    dispose: async () => {
      const ended = scope
      scope = openScope('The plugin')
      return await ended.end()
    },
    // The call that asks is one of them.
    busy: async () => remote.busy() - 1,
    resources: async () => resources(),
    violations: async () => violations,
  }
  const remote: Remote = openRemote({
    link,
    ...(onFault ? { onFault } : {}),
    offers: { entry: { as: kind, object: entry }, control: { as: 'control', object: control } },
    complete: (name, proxy) =>
      name === 'pluginContext' ? Object.assign(proxy, { clock, fetch, signal: scope.signal, effect: scope.effect }) : proxy,
    ...(lenient ? { onViolation: (path: string, problem: string) => violations.push(`${path}: ${problem}`) } : {}),
  })
  return remote
}

export interface RemoteEntry<Kind extends CodeKind> {
  readonly entry: Entries[Kind]
  readonly control: Control
  readonly closed: Promise<void>
  /** Notes that came after the call that they belong to. */
  late(): readonly string[]
  close(): void
}

/** The host's side: an entry whose code runs elsewhere. */
export function openEntry<Kind extends CodeKind>(options: {
  readonly kind: Kind
  readonly link: BorderLink
  readonly gone?: () => AgentError
}): RemoteEntry<Kind> {
  const remote = openRemote(options)
  return {
    entry: remote.proxy('entry', options.kind) as Entries[Kind],
    control: remote.proxy('control', 'control') as Control,
    closed: remote.closed,
    late: () => remote.late,
    close: () => remote.close(),
  }
}
