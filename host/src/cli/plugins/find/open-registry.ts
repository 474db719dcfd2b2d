import { withTimeLimit } from '@agent/plugin-sdk'
import { systemClock } from '#kernel/clock.ts'
import { readSettings } from '#kernel/package/npm-words.ts'
import { askNpm, type NpmOptions, runNpm } from '#kernel/package/run-npm.ts'
import { readAnswer } from '#kernel/read-answer.ts'

/** What is asked of the registry that npm is set up for. */
export interface Registry {
  /** Packages that npm finds by these words, as the registry describes them. */
  search(words: readonly string[]): Promise<readonly unknown[]>
  /** How often each package of such a list was fetched, by its name; empty where the registry does not say. */
  countDownloads(words: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The package.json of one version; undefined where nobody tells. */
  readPackage(name: string, version: string): Promise<unknown>
}

export interface RegistryOptions {
  readonly npm: NpmOptions
  readonly fetch: typeof fetch
}

const proxies = ['https_proxy', 'http_proxy', 'all_proxy']
const patienceMs = 10_000
const mostBytes = 4 * 1024 * 1024
/** npm needs half a second of this machine for each; what is left then says nothing of itself. */
const mostViews = 20

/**
 * Asks npm, which knows logins and proxies. What it does not hand on, or only one package at a time, is asked of the same registry without a login,
 * and given up where that does not answer.
 */
export async function openRegistry({ npm, fetch }: RegistryOptions): Promise<Registry> {
  const address = await findAddress(npm)
  const get = async (path: string): Promise<unknown> => {
    if (address === undefined) return undefined
    const limit = { clock: systemClock, signal: npm.signal, ms: patienceMs, what: address }
    return await withTimeLimit(limit, (within) => readJsonFrom(fetch, new URL(path, address), within)).catch(() => {
      npm.signal.throwIfAborted()
      return undefined
    })
  }
  let views = 0
  return {
    async search(words) {
      const answer = await runNpm('The list of packages', ['search', `--searchlimit=${mostFound}`, '--', ...words], npm)
      return Array.isArray(answer) ? answer : []
    },
    async countDownloads(words) {
      const told = await get(`-/v1/search?${new URLSearchParams({ text: words.join(' '), size: String(mostFound) })}`)
      const { objects } = (told ?? {}) as { readonly objects?: unknown }
      return new Map((Array.isArray(objects) ? objects : []).flatMap(readDownloads))
    },
    async readPackage(name, version) {
      const told = (await get(`${encodeURIComponent(name).replace('%40', '@')}/${encodeURIComponent(version)}`)) as
        | { readonly name?: unknown }
        | undefined
      if (told?.name === name) return told
      views += 1
      if (views > mostViews) return undefined
      return await runNpm(name, ['view', '--', `${name}@${version}`, 'name', 'agent'], npm).catch(() => {
        npm.signal.throwIfAborted()
        return undefined
      })
    },
  }
}

const mostFound = 100

/** The registry, where it can be asked directly: behind a proxy only npm finds the way. */
async function findAddress(npm: NpmOptions): Promise<string | undefined> {
  const isBehind = Object.entries(npm.environment).some(([name, value]) => value && proxies.includes(name.toLowerCase()))
  if (isBehind) return undefined
  const { code, out } = await askNpm(['config', 'get', 'registry', 'proxy', 'https-proxy'], npm)
  const settings = readSettings(out)
  const registry = settings.get('registry') ?? ''
  if (code !== 0 || settings.has('proxy') || settings.has('https-proxy') || !/^https?:\/\//.test(registry)) return undefined
  return `${registry.replace(/\/$/, '')}/`
}

async function readJsonFrom(fetchNow: typeof fetch, from: URL, signal: AbortSignal): Promise<unknown> {
  const response = await fetchNow(from, { signal, headers: { accept: 'application/json' } })
  const bytes = await readAnswer(response, mostBytes)
  return bytes && response.ok ? JSON.parse(bytes.toString('utf8')) : undefined
}

/** npm's own registry counts by the week and by the month. */
function readDownloads(raw: unknown): readonly (readonly [string, number])[] {
  const { package: about, downloads } = (raw ?? {}) as {
    readonly package?: { readonly name?: unknown }
    readonly downloads?: { readonly monthly?: unknown; readonly weekly?: unknown }
  }
  const count = downloads?.monthly ?? downloads?.weekly
  return typeof about?.name === 'string' && typeof count === 'number' ? [[about.name, count]] : []
}
