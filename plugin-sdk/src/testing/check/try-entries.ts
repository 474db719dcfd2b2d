import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleEntries } from '../../build/bundle-entries.ts'
import { findSdk } from '../../build/find-sdk.ts'
import { linkLeftOutside } from '../../build/left-outside.ts'
import type { CodeKind, Entries } from '../../kinds/kinds.ts'
import type { Manifest } from '../../kinds/manifest.ts'
import type { ContractCase } from '../contract/stage.ts'
import { type Suite, suites } from '../contract/suites.ts'
import { bundleChild, shareChild } from '../rig/child.ts'
import { type OpenedPlugin, openClone } from '../rig/subject.ts'
import { entriesOf, type Inspected } from './inspect-files.ts'
import type { Contract } from './load-contract.ts'

/** One entry of a plugin, bundled. */
export interface TriedEntry {
  /** `toolset.dice`. */
  readonly name: string
  readonly kind: CodeKind
  readonly contribution: string
  readonly file: string
}

/** The entries as files that this Node can run: bundled from source into `folder`, or as the package ships them. */
export async function openEntries({ root, built, fromSource }: Inspected, folder: string): Promise<readonly TriedEntry[]> {
  if (built === undefined) return []
  const toTried = (name: string, file: string): TriedEntry => {
    const dot = name.indexOf('.')
    return { name, file, kind: name.slice(0, dot) as CodeKind, contribution: name.slice(dot + 1) }
  }
  if (!fromSource) return entriesOf(built).map(({ name, path }) => toTried(name, join(root, path)))
  if (built.entries.length === 0) return []
  const dist = join(folder, 'entries')
  await linkLeftOutside(root, folder)
  await bundleEntries(root, built.manifest.id, built.entries, findSdk(), { dist })
  return built.entries.map(({ name }) => toTried(name, join(dist, `${name}.js`)))
}

export interface PlacedCase {
  readonly entry: TriedEntry
  readonly place: string
  readonly one: ContractCase
  /** What the plugin has logged and written in this case, once it was run. */
  readonly log: readonly string[]
}

/** Every case of every entry: first in this process behind the cloning border, then in a child, one for as many cases as leave nothing in it. */
export async function listCases(
  { root, manifest }: { readonly root: string; readonly manifest: Manifest },
  entries: readonly TriedEntry[],
  contract: Contract,
  patienceMs: number,
): Promise<{ readonly cases: readonly PlacedCase[]; [Symbol.asyncDispose](): Promise<void> }> {
  const opened: AsyncDisposable[] = []
  const cases: PlacedCase[] = []
  for (const entry of entries) {
    const { kind, contribution, file } = entry
    const program = await bundleChild(kind, file, root)
    const child = shareChild(kind, program.file, manifest)
    opened.push(child, program)
    const places: Readonly<Record<string, () => Promise<OpenedPlugin<CodeKind>>>> = {
      'in process': async () =>
        openClone(kind, ((await import(/* @vite-ignore */ pathToFileURL(file).href)) as { default: Entries[CodeKind] }).default, manifest),
      'in a child': child.open,
    }
    for (const [place, open] of Object.entries(places)) {
      const subject = { kind, manifest, contribution, place, open }
      let log: string[] = []
      const onLog = (line: string): void => void log.push(line)
      const suite = (suites[kind] as Suite<CodeKind>)({ subject, patienceMs, onLog, world: () => contract.openWorld(contribution) })
      for (const one of suite) {
        const own: string[] = []
        const run = async (): Promise<string | undefined> => {
          log = own
          return await one.run()
        }
        cases.push({ entry, place, one: { ...one, run }, log: own })
      }
    }
  }
  return {
    cases,
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) await one[Symbol.asyncDispose]()
    },
  }
}
