import { fail } from '@agent/plugin-sdk/errors'
import { explainFailure, readError, readJson, readSettings } from '#kernel/package/npm-words.ts'
import { type Obstacle, obstacle, refusePublishing } from '#kernel/package/publish-refusals.ts'
import { askNpm, type NpmOptions } from '#kernel/package/run-npm.ts'
import { findTrust } from './find-provenance.ts'
import type { OwnPackage } from './read-package.ts'

/** Where a package would go. */
export interface Target {
  readonly registry: string
  readonly tag: string
  /** Words by which every command of npm asks this registry. */
  readonly words: readonly string[]
  /** Who is logged in; undefined where nobody is, or nobody can tell. */
  readonly login: string | undefined
  readonly obstacles: readonly Obstacle[]
}

/** Asks npm where it would send this package, under which tag and as whom, and the registry whether it would take it. */
export async function askTarget(file: OwnPackage, asked: string | undefined, npm: NpmOptions): Promise<Target> {
  const { registry, given } = await findRegistry(file, npm)
  const wish = asked ?? given
  const tag = wish ?? 'latest'
  checkTag(file, tag)
  const words = [`--registry=${registry}`, ...(file.scope === undefined ? [] : [`--${file.scope}:registry=${registry}`])]
  const [versions, who] = await Promise.all([askVersions(file, wish, words, npm), askLogin(registry, words, npm)])
  return { registry, tag, words, login: who.login, obstacles: [...versions, ...who.obstacles] }
}

/** npm would take a tag that looks like a version for one. */
export function checkTag({ name }: Pick<OwnPackage, 'name'>, tag: string): void {
  if (!/^[a-z][\w.-]*$/i.test(tag) || /^(?:v\d.*|x)$/i.test(tag)) throw refusePublishing(name, obstacle('tag-invalid', { tag }))
}

interface Found {
  readonly registry: string
  /** The tag that the author has set somewhere; undefined where it is npm's own. */
  readonly given: string | undefined
}

/** The settings of npm, in the order in which npm takes them: a scope's own registry, what package.json says, the registry of all. */
async function findRegistry({ name, scope, publishConfig }: OwnPackage, npm: NpmOptions): Promise<Found> {
  const ofScope = `${scope ?? '@'}:registry`
  const { code, out, note } = await askNpm(['config', 'get', 'registry', 'tag', ...(scope === undefined ? [] : [ofScope])], npm)
  if (code !== 0) throw fail('PLUGIN_FETCH', { what: `The registry for ${name}`, detail: explainFailure(out, note) })
  const settings = readSettings(out)
  const setting = (key: string): string | undefined => textOf(publishConfig[key]) ?? settings.get(key)
  const registry = setting(ofScope) ?? setting('registry') ?? 'https://registry.npmjs.org/'
  const tag = setting('tag')
  return { registry: registry.endsWith('/') ? registry : `${registry}/`, given: tag === 'latest' ? undefined : tag }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

async function askVersions(
  { name, version }: OwnPackage,
  wish: string | undefined,
  words: readonly string[],
  npm: NpmOptions,
): Promise<readonly Obstacle[]> {
  const { code, out, note } = await askNpm(['view', ...words, '--', name, 'versions', 'dist-tags'], npm)
  const isNew = code !== 0 && readError(out).code === 'E404'
  if (code !== 0 && !isNew) return [obstacle('registry-silent', { problem: explainFailure(out, note) })]
  const { versions = [], 'dist-tags': tags } = (isNew ? {} : (readJson(out) ?? {})) as {
    readonly versions?: string | readonly string[]
    readonly 'dist-tags'?: { readonly latest?: string }
  }
  if ([versions].flat().includes(version)) return [obstacle('version-taken', { version })]
  if (wish !== undefined) return []
  if (version.includes('-')) return [obstacle('tag-needed', { version, latest: '' })]
  const latest = tags?.latest ?? ''
  return latest !== '' && isOlder(version, latest) ? [obstacle('tag-needed', { version, latest })] : []
}

function isOlder(one: string, other: string): boolean {
  const [ours, theirs] = [one, other].map((text) => (text.split(/[-+]/)[0] ?? '').split('.').map(Number))
  const at = [0, 1, 2].find((index) => ours?.[index] !== theirs?.[index])
  return at !== undefined && (ours?.[at] ?? 0) < (theirs?.[at] ?? 0)
}

async function askLogin(registry: string, words: readonly string[], npm: NpmOptions): Promise<Pick<Target, 'login' | 'obstacles'>> {
  const { code, out } = await askNpm(['whoami', ...words], npm)
  const name = code === 0 ? textOf(readJson(out)) : undefined
  if (name !== undefined) return { login: name, obstacles: [] }
  const trust = findTrust(registry, npm.environment)
  if (trust !== undefined) return { login: trust, obstacles: [] }
  // Some registries know no such question, and npm finds out when it uploads.
  const isNobody = ['ENEEDAUTH', 'E401', 'E403'].includes(readError(out).code ?? '')
  return { login: undefined, obstacles: isNobody ? [obstacle('login-missing', { registry })] : [] }
}
