import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { detailOf, fail } from '../contract/errors.ts'
import { type Manifest, manifestSchema } from '../kinds/manifest.ts'
import { bundleEntries } from './bundle-entries.ts'
import { checkManifest } from './check-manifest.ts'
import { checkTypes, describeTypeProblems, wantsTypes } from './check-types.ts'
import { noticeManifest } from './deprecated/notice-manifest.ts'
import { findSdk, type SdkFolder } from './find-sdk.ts'
import { formatJson } from './format-json.ts'
import { readDefinition } from './read-definition.ts'
import { type BuiltEntry, toManifest } from './to-manifest.ts'

/** What of a plugin is built, and how. */
export interface BuildOptions {
  /** The plugin's folder. */
  readonly dir: string
  /** Compares and writes nothing. */
  readonly check?: boolean
  /** Leaves `dist/` alone. */
  readonly manifestOnly?: boolean
  /** Has the types checked first where the folder has a `tsconfig.json`; rejects with PLUGIN_BUILD where they are wrong. */
  readonly types?: boolean
  /** False: no source maps beside the bundles. */
  readonly maps?: boolean
}

/** What a build has made, or with `check` would make. */
export interface BuildResult {
  readonly manifest: Manifest
  readonly file: string
  /** The committed manifest differed from what the definition says. */
  readonly changed: boolean
  /** Source of each entry, by the name of its bundle; empty for a plugin without code. */
  readonly entries: readonly BuiltEntry[]
  /** Names of the files in `dist/`; empty where nothing was bundled. */
  readonly outputs: readonly string[]
  /** Why types were not checked that should have been. */
  readonly untried?: string
  /** What the plugin uses that is deprecated, and what to use; with `check` nobody looks. */
  readonly notices?: readonly string[]
}

/** Builds one plugin folder: definition → manifest → bundled entries. A folder without `src/plugin.ts` is only validated. */
export async function buildPlugin({
  dir,
  check = false,
  manifestOnly = false,
  types = false,
  maps = true,
}: BuildOptions): Promise<BuildResult> {
  const root = resolve(dir)
  const file = join(root, 'agent.plugin.json')
  const sdk = findSdk()
  const findTypes = async (plugin: string): Promise<Told> =>
    types && !check && wantsTypes(root) ? await requireTypes(plugin, root, sdk) : {}
  const notice = async ({ untried, notices = [] }: Told): Promise<Told> => ({
    ...(untried === undefined ? {} : { untried }),
    ...(check ? {} : { notices: [...(await noticeManifest(root, sdk.root)), ...notices] }),
  })
  if (!existsSync(join(root, 'src', 'plugin.ts'))) {
    const valid = await validateDataOnly(root, file)
    return { ...valid, ...(await notice(await findTypes(valid.manifest.id))) }
  }
  const about = await readPackage(root)
  const { manifest: written, entries } = await toManifest(await readDefinition(root, sdk), { ...about, schema: schemaPath(root, sdk) })
  const manifest = checkManifest(join(root, 'src', 'plugin.ts'), written, { defined: true })
  const text = formatJson(written, manifestSchema.parse(written))
  const changed = (await readIfThere(file)) !== text
  if (check) return { manifest, file, changed, entries, outputs: [] }
  const told = await findTypes(manifest.id)
  if (changed) await writeFile(file, text)
  const outputs = manifestOnly || entries.length === 0 ? [] : await bundleEntries(root, manifest.id, entries, sdk, { maps })
  return { manifest, file, changed, entries, outputs, ...(await notice(told)) }
}

type Told = Pick<BuildResult, 'untried' | 'notices'>

async function requireTypes(plugin: string, root: string, sdk: SdkFolder): Promise<Told> {
  const { problems, ...told } = await checkTypes(root, sdk)
  const [first, ...more] = problems
  if (first === undefined) return told
  const rest = more.length === 0 ? '' : `\n${describeTypeProblems(more)}`
  throw fail('PLUGIN_BUILD', { plugin, path: first.path, problem: `${first.problem}${rest}` })
}

async function validateDataOnly(root: string, file: string): Promise<BuildResult> {
  const text = await readIfThere(file)
  if (text === undefined) {
    throw fail('PLUGIN_BUILD', { plugin: root, path: 'src/plugin.ts', problem: 'is missing, and there is no agent.plugin.json either' })
  }
  const manifest = checkManifest(file, parseJson(file, text))
  const version = existsSync(join(root, 'package.json')) ? (await readPackage(root)).version : manifest.version
  if (version !== manifest.version) {
    throw fail('PLUGIN_MANIFEST_INVALID', { file, path: 'version', problem: `is ${manifest.version}, but package.json says ${version}` })
  }
  return { manifest, file, changed: false, entries: [], outputs: [] }
}

async function readPackage(root: string): Promise<{ readonly version: string; readonly license: string }> {
  const file = join(root, 'package.json')
  const text = await readIfThere(file)
  const { version, license } = (text === undefined ? {} : parseJson(file, text)) as { version?: unknown; license?: unknown }
  if (typeof version === 'string' && typeof license === 'string') return { version, license }
  throw fail('PLUGIN_BUILD', { plugin: root, path: 'package.json', problem: 'must name version and license' })
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fail('PLUGIN_MANIFEST_INVALID', { file, path: '(top)', problem: detailOf(cause) }, { cause })
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  return existsSync(file) ? await readFile(file, 'utf8') : undefined
}

/** For editors: the schema beside the SDK, as seen from the plugin. */
function schemaPath(root: string, sdk: SdkFolder): string {
  const repository = resolve(sdk.root, '..')
  const inside = sdk.fromSource && root.startsWith(repository + sep)
  const folder = inside ? relative(root, sdk.root).split(sep).join('/') : 'node_modules/@agent/plugin-sdk'
  return `${folder}/manifest.schema.json`
}
