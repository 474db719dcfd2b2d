import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readVersion } from '#config/version.ts'
import { findMisfit } from '#kernel/catalog/find-misfit.ts'
import { keyword, readPublished } from '#kernel/package/published.ts'
import type { Cli } from '../../console/cli.ts'
import { createProgress } from '../package/progress.ts'
import { openRegistry, type Registry } from './open-registry.ts'

/** A plugin of the registry. What only its author's `agent plugins publish` can have written is absent where it was published otherwise. */
export interface FoundPackage {
  readonly name: string
  readonly version: string
  readonly description: string
  /** When this version was published, where the registry says it. */
  readonly date?: string
  /** Of the last month, where the registry counts them. */
  readonly downloads?: number
  /** The list of an organisation that recommends it. */
  readonly catalog?: string
  readonly plugin?: string
  readonly kinds?: readonly string[]
  /** As the check of its author computed it. */
  readonly medal?: string
  /** Whether it would run on this host. */
  readonly fits?: boolean
  /** Why it would not, in words that follow its name. */
  readonly misfit?: string
}

/** Asks the registry for plugins. */
export async function findPackages(cli: Cli, words: readonly string[]): Promise<readonly FoundPackage[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'agent-search-'))
  try {
    const npm = { cwd, cache: join(cwd, 'npm'), environment: cli.environment, signal: cli.signal, timeoutMs: 60_000 }
    return await createProgress(cli)('Asking the registry', async () => {
      const registry = await openRegistry({ npm, fetch })
      const [found, downloads] = await search(registry, words)
      const versions = { agent: readVersion(cli.installRoot), node: process.versions.node }
      return await mapSome(found, (each) => describe(registry, each, downloads.get(each.name), versions))
    })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

type Found = readonly [readonly FoundPackage[], ReadonlyMap<string, number>]

async function search(registry: Registry, words: readonly string[]): Promise<Found> {
  const ask = async (...terms: readonly string[]): Promise<Found> => {
    const [answer, downloads] = await Promise.all([registry.search(terms), registry.countDownloads(terms)])
    return [answer.flatMap(toPackage).filter((found) => fits(found, words)), downloads]
  }
  const found = await ask(`keywords:${keyword}`, ...words)
  // Smaller registries know no such filter and look for the words as they are.
  return found[0].length > 0 ? found : await ask(keyword)
}

// Registries differ in how far they look: some answer with packages that merely mention a word.
function toPackage(raw: unknown): readonly FoundPackage[] {
  const { name, description = '', keywords, ...more } = (raw ?? {}) as Readonly<Record<string, unknown>>
  const version = more.version ?? (more['dist-tags'] as Readonly<Record<string, unknown>> | undefined)?.latest
  const date = more.date ?? (more.time as Readonly<Record<string, unknown>> | undefined)?.modified
  if (typeof name !== 'string' || typeof version !== 'string' || typeof description !== 'string') return []
  if (!Array.isArray(keywords) || !keywords.includes(keyword)) return []
  return [{ name, version, description, ...(typeof date === 'string' ? { date } : {}) }]
}

function fits({ name, description }: FoundPackage, words: readonly string[]): boolean {
  const text = `${name} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}

async function describe(
  registry: Registry,
  found: FoundPackage,
  downloads: number | undefined,
  versions: { readonly agent: string; readonly node: string },
): Promise<FoundPackage> {
  const counted = downloads === undefined ? found : { ...found, downloads }
  const published = readPublished(await registry.readPackage(found.name, found.version))
  if (published === undefined) return counted
  const { plugin, kinds, medal } = published
  const misfit = findMisfit(published, versions)
  return { ...counted, plugin, kinds, medal, fits: misfit === undefined, ...(misfit === undefined ? {} : { misfit }) }
}

/** A few at a time, in the order of the list. */
async function mapSome<T, R>(list: readonly T[], act: (item: T) => Promise<R>, most = 6): Promise<readonly R[]> {
  const results: R[] = []
  const left = list.entries()
  const work = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await act(item)
  }
  await Promise.all(Array.from({ length: most }, work))
  return results
}
