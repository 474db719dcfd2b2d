import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type BuildResult, buildPlugin } from '../../build/build-plugin.ts'
import { isAgentError } from '../../contract/errors.ts'
import { dataKinds, specsOf } from '../../kinds/kinds.ts'

/** What package.json of a plugin says, as far as it matters here. */
export interface PackageFile {
  readonly name?: string
  readonly version?: string
  readonly type?: string
  readonly license?: string
  readonly files?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly keywords?: readonly string[]
  readonly author?: unknown
  readonly bugs?: unknown
}

/** A plugin's folder, read and compared with its definition; no code of it has run. */
export interface Inspected {
  readonly root: string
  readonly packageFile: PackageFile | undefined
  readonly built: BuildResult | undefined
  /** Why it could not be built. */
  readonly problem: string
  /** Where the entries come from: sources, or the bundles of a built package. */
  readonly fromSource: boolean
}

export interface StaticRule {
  readonly rule: string
  readonly title: string
  /** It compares with what the definition says. */
  readonly needsBuilt?: boolean
  /** What is wrong; empty when nothing is. */
  find(inspected: Inspected): string
}

export async function inspectFiles(root: string): Promise<Inspected> {
  const packageFile = readPackage(root)
  const fromSource = existsSync(join(root, 'src', 'plugin.ts'))
  try {
    return { root, packageFile, fromSource, built: await buildPlugin({ dir: root, check: true }), problem: '' }
  } catch (error) {
    if (!isAgentError(error)) throw error
    return { root, packageFile, fromSource, built: undefined, problem: error.message }
  }
}

function readPackage(root: string): PackageFile | undefined {
  const file = join(root, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PackageFile
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** The rules that read files only. */
export const staticRules: readonly StaticRule[] = [
  { rule: 'manifest', title: 'the definition and the manifest are valid', find: ({ problem }) => problem },
  { rule: 'fresh', title: 'agent.plugin.json is what the definition says', needsBuilt: true, find: findStale },
  { rule: 'version', title: 'the manifest has the version of package.json', find: findOtherVersion },
  { rule: 'package', title: 'the package holds everything that the manifest names', needsBuilt: true, find: findUnshipped },
  { rule: 'entries', title: 'every entry is there, inside of the folder', needsBuilt: true, find: findLostEntry },
  { rule: 'scripts', title: 'nothing runs when it is installed', find: findInstallScript },
  { rule: 'native', title: 'it brings no machine code', find: findNative },
]

function findStale({ built, root }: Inspected): string {
  if (built === undefined || !built.changed) return ''
  const what = existsSync(join(root, 'agent.plugin.json')) ? 'is not what src/plugin.ts says' : 'is missing'
  return `agent.plugin.json ${what}: run agent plugins build ${root}`
}

function findOtherVersion({ root, packageFile }: Inspected): string {
  const file = join(root, 'agent.plugin.json')
  if (packageFile === undefined || !existsSync(file)) return ''
  const { version } = readJson(file)
  return version === packageFile.version ? '' : `agent.plugin.json says ${String(version)}, package.json says ${packageFile.version}`
}

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function findUnshipped({ packageFile, built }: Inspected): string {
  const folders =
    built === undefined
      ? []
      : dataKinds.flatMap((kind) => specsOf(built.manifest, kind)).flatMap((spec) => ('path' in spec ? [spec.path] : []))
  const withCode = hasCode({ built })
  if (packageFile === undefined) return withCode ? 'package.json is missing' : ''
  const { type, files } = packageFile
  if (withCode && type !== 'module') return 'package.json needs "type": "module", because entries are ES modules'
  const wanted = ['agent.plugin.json', ...(withCode ? ['dist'] : [])]
  const listed = files?.map((file) => file.replace(/^\.?\//, '').replace(/\/(\*\*)?$/, ''))
  const missing =
    listed &&
    (wanted.find((file) => !listed.includes(file)) ?? folders.find((path) => !listed.some((file) => `${path}/`.startsWith(`${file}/`))))
  return missing ? `"files" of package.json does not list ${missing}` : ''
}

/** Whether there is code to try. */
export function hasCode({ built }: Pick<Inspected, 'built'>): boolean {
  return (built?.entries.length ?? 0) > 0 || entriesOf(built).length > 0
}

/** The entries that the manifest names, as paths inside of the folder. */
export function entriesOf(built: BuildResult | undefined): readonly { readonly name: string; readonly path: string }[] {
  return Object.values(built?.manifest.contributes ?? {})
    .flatMap((list) => (Array.isArray(list) ? (list as readonly { readonly entry?: unknown }[]) : []))
    .flatMap(({ entry }) => (typeof entry === 'string' ? [{ name: entry.replace(/^.*\//, '').replace(/\.js$/, ''), path: entry }] : []))
}

function findLostEntry({ root, built, fromSource }: Inspected): string {
  const files = fromSource ? (built?.entries ?? []).map(({ source }) => source) : entriesOf(built).map(({ path }) => join(root, path))
  for (const file of files) {
    const name = relative(root, file)
    if (!existsSync(file)) return `${name} is missing`
    if (!realpathSync(file).startsWith(realpathSync(root) + sep)) return `${name} is outside of the folder`
  }
  return ''
}

function findInstallScript({ root, packageFile }: Inspected): string {
  const script = ['preinstall', 'install', 'postinstall'].find((name) => packageFile?.scripts?.[name] !== undefined)
  if (script) return `package.json has the script "${script}", which installing would run`
  return existsSync(join(root, 'binding.gyp')) ? 'binding.gyp makes npm compile it' : ''
}

function findNative({ root }: Inspected): string {
  const walk = (folder: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === '.git' ? [] : walk(join(folder, entry.name))
      return [join(folder, entry.name)]
    })
  const found = walk(root).find((file) => /\.(node|dll|dylib|so)$/i.test(file))
  return found ? `${relative(root, found)} is machine code` : ''
}
