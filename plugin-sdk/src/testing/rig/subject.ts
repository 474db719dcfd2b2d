import { type Control, openEntry, serveEntry } from '../../border/entry.ts'
import { linkPair } from '../../border/link.ts'
import type { CodeKind, Entries } from '../../kinds/kinds.ts'
import type { Manifest } from '../../kinds/manifest.ts'
import { createSystemClock } from './system-clock.ts'
import { type Asker, createTestFetch } from './test-fetch.ts'

/** A plugin behind a border. */
export interface OpenedPlugin<Kind extends CodeKind> {
  readonly entry: Entries[Kind]
  readonly control: Control
  /** What its process wrote, where it has one, and the stacks of errors without a code. */
  said(): string
  /** Notes that came after the call that they belong to. */
  late(): readonly string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** The plugin that a contract suite tries: one contribution, opened as often as needed. */
export interface Subject<Kind extends CodeKind> {
  readonly kind: Kind
  readonly manifest: Manifest
  /** Id of the contribution. */
  readonly contribution: string
  /** Where its code runs; said in the titles of the cases. */
  readonly place: string
  open(): Promise<OpenedPlugin<Kind>>
}

/** The cloning border: the plugin runs in this process, and everything that crosses is proved to be JSON or bytes, and copied. */
export function openClone<Kind extends CodeKind>(kind: Kind, entry: Entries[Kind], asker?: Asker): OpenedPlugin<Kind> {
  const [hostSide, pluginSide] = linkPair()
  const faults: string[] = []
  const onFault = ({ stack }: Error): void => void faults.push(`${stack}\n`)
  serveEntry({ kind, entry, link: pluginSide, clock: createSystemClock(), fetch: createTestFetch(asker), lenient: true, onFault })
  const host = openEntry({ kind, link: hostSide })
  const end = async (): Promise<void> => {
    // A process would take with it what the plugin has left.
    await host.control.dispose().catch(() => undefined)
    host.close()
  }
  return { entry: host.entry, control: host.control, said: () => faults.join(''), late: host.late, [Symbol.asyncDispose]: end }
}
