import { lstatSync, realpathSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import type { CodeKind, ContractKind, Manifest, Specs } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { codeKinds, contractKinds, type KindRow, kinds, specsOf } from '../kinds.ts'
import { readText } from '../read-text.ts'
import { because, type Reason } from '../reasons.ts'
import { fillQuickly } from '../schema/json-schema.ts'
import { unsure } from '../schema/quick-schema.ts'
import type { SchemaCheck } from '../schema/schema-check.ts'
import { manifestJsonSchema } from './manifest-json-schema.ts'
import type { LockedPlugin } from './plugin-lock.ts'

export type PluginSource = 'bundled' | 'installed' | 'local' | 'link'

/** A folder that may hold a plugin. */
export interface ManifestPlace {
  readonly folder: string
  readonly source: PluginSource
  /** What the lock says about an installed one. */
  readonly entry?: { readonly id: string; readonly locked: LockedPlugin }
}

/** A plugin whose manifest has been read. */
export interface Installed {
  readonly manifest: Manifest
  /** Absolute, links resolved. */
  readonly root: string
  readonly source: PluginSource
  readonly warnings: readonly string[]
}

export type ManifestRead =
  | { readonly ok: true; readonly plugin: Installed }
  | { readonly ok: false; readonly id: string; readonly root: string; readonly source: PluginSource; readonly reason: Reason }

export const manifestName = 'agent.plugin.json'

/** The file that a contribution begins with; undefined where it is data of the manifest alone. */
export function fileOf({ kind, spec }: { readonly kind: ContractKind; readonly spec: Specs[ContractKind] }): string | undefined {
  return fileIn(kinds[kind], spec)
}

/** The same for what a manifest says, which may be anything. */
export function fileIn(
  row: KindRow | undefined,
  { entry, path }: { readonly entry?: unknown; readonly path?: unknown },
): string | undefined {
  if (row?.code === 'none') return row.file !== undefined && typeof path === 'string' ? `${path}/${row.file}` : undefined
  return typeof entry === 'string' ? entry : undefined
}

/** The contributions of a manifest that have code, and by which method the host calls it. */
export function partsWithCode(
  manifest: Manifest,
): readonly { readonly entry: string; readonly method: string; readonly spec: Specs[CodeKind] }[] {
  return codeKinds.flatMap((kind) =>
    specsOf(manifest, kind).flatMap((spec) => (spec.entry === undefined ? [] : [{ entry: spec.entry, method: kinds[kind].method, spec }])),
  )
}

const known = new Set(Object.keys(manifestJsonSchema.properties as object))

/** What stands in the file of a manifest; `id` where it has one. */
export interface ParsedManifest {
  readonly id: string | undefined
  readonly checked: SchemaCheck
}

/** Undefined where there is no file. Rejects where it cannot be read, or holds no JSON. */
export type ParseManifest = (file: string) => Promise<ParsedManifest | undefined>

/** Reads and checks one manifest. A broken one is a reason, never an exception. */
export async function readManifest({ folder, source }: ManifestPlace, parse: ParseManifest = parseFile): Promise<ManifestRead> {
  const file = join(folder, manifestName)
  let id = basename(folder)
  const broken = (path: string, problem: string): ManifestRead => {
    return { ok: false, id, root: folder, source, reason: because('manifest-invalid', { file, path, problem, root: folder }) }
  }
  try {
    const parsed = await parse(file)
    if (parsed === undefined) return broken('', 'the file is missing')
    const { checked } = parsed
    id = parsed.id ?? id
    if (!checked.ok) return broken(checked.path, checked.problem)
    const manifest = checked.value as Manifest
    // What came with agent was built here; everything else may hold links that lead elsewhere. The folder of a local one is no link.
    const root = source === 'bundled' || source === 'local' ? folder : realpathSync.native(folder)
    const outside = source === 'bundled' ? undefined : findOutside(root, manifest)
    if (outside) return { ok: false, id, root, source, reason: because('path-outside', { path: outside, root }) }
    return { ok: true, plugin: { manifest, root, source, warnings: findWarnings(manifest) } }
  } catch (error) {
    return broken('', explain(error))
  }
}

export const parseFile: ParseManifest = async (file) => {
  const text = readText(file, { mostBytes: 1024 * 1024 })
  if (text === undefined) return undefined
  const raw: unknown = JSON.parse(text)
  const { id } = (typeof raw === 'object' && raw !== null ? raw : {}) as { readonly id?: unknown }
  return { id: typeof id === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(id) ? id : undefined, checked: await checkManifest(raw) }
}

async function checkManifest(raw: unknown): Promise<SchemaCheck> {
  const filled = fillQuickly(manifestJsonSchema, raw)
  if (filled !== unsure) return { ok: true, value: filled }
  return (await import('./parse-manifest.ts')).parseManifest(raw)
}

function findWarnings(manifest: Manifest): readonly string[] {
  return Object.keys(manifest)
    .filter((key) => !known.has(key))
    .map((key) => `the manifest has an unknown field "${key}"`)
}

/** The first file of a plugin that is a way out of its folder. */
function findOutside(root: string, manifest: Manifest): string | undefined {
  const entries = contractKinds.flatMap((kind) => specsOf(manifest, kind).flatMap((spec) => fileOf({ kind, spec }) ?? []))
  return [manifestName, ...entries].find((path) => isOutside(root, join(root, path)))
}

function isOutside(root: string, path: string): boolean {
  const inside = root + sep
  // Where no link is on the way nothing leads out. To find the real path is to look at each folder above the plugin too.
  if (path.startsWith(inside) && !hasLink(root, path.slice(inside.length).split(sep))) return false
  try {
    return !realpathSync.native(path).startsWith(inside)
  } catch (error) {
    // A file that is not there yet leads nowhere; activation names it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Whether a name below a folder is a link, or is below one. What is not there is none. */
function hasLink(folder: string, [name, ...below]: readonly string[]): boolean {
  if (name === undefined) return false
  const path = folder + sep + name
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.isSymbolicLink() || hasLink(path, below))
}

function explain(error: unknown): string {
  if (error instanceof SyntaxError) return `it is not valid JSON (${error.message})`
  return detailOf(error)
}
