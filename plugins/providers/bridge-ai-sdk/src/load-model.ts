import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { PackageEntry } from './config.ts'

/** The part of a language model of the AI SDK that is used here. */
export interface LanguageModel {
  readonly specificationVersion: string
  /** The service and the kind of model, such as `acme.chat`. */
  readonly provider: string
  doStream(options: object): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

export type MakeModel = (id: string) => LanguageModel

type Holder = Readonly<Record<string, unknown>>

const setting = 'plugins.entries.provider-bridge-ai-sdk.config in config.yaml'

/** Loads a package, and makes its provider. What it lacks is told with the setting that changes it. */
export async function loadProvider(
  folder: string,
  entry: PackageEntry,
  given: { readonly apiKey?: string; readonly fetch: typeof fetch },
): Promise<MakeModel> {
  const found = findExport(await importPackage(folder, entry.package), entry)
  const made: unknown = found.isFactory ? await call(found.value, { ...entry.options, ...given }) : found.value
  return (id) => {
    const model = isModel(made) ? made : makeModel(made, entry, id)
    if (!isModel(model)) throw misfit(entry, `gives no language model for ${id}`)
    if (!['v2', 'v3'].includes(model.specificationVersion))
      throw misfit(entry, `has models of version ${model.specificationVersion}; 2 and 3 are known (AI SDK 5 and 6)`)
    return model
  }
}

async function importPackage(folder: string, name: string): Promise<Holder> {
  try {
    const module: unknown = await import(pathToFileURL(await findMain(join(folder, 'node_modules', name))).href)
    return isHolder(module) ? module : {}
  } catch (error) {
    throw fail(
      'USAGE',
      { problem: `The package ${name} cannot be loaded from ${folder}: ${detailOf(error)}.`, try: `cd ${folder} && npm install ${name}` },
      { cause: error },
    )
  }
}

/** What `import` would take, had it been written in that folder: packages may offer nothing to `require`. */
async function findMain(root: string): Promise<string> {
  const about: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { exports, module, main } = isHolder(about) ? about : {}
  const offered = isHolder(exports) && '.' in exports ? exports['.'] : exports
  const file = choose(offered) ?? [module, main, 'index.js'].find((path) => typeof path === 'string') ?? 'index.js'
  return join(root, String(file))
}

/** The first condition that holds, as Node reads them: in the order in which they are written. */
function choose(offered: unknown): string | undefined {
  if (typeof offered === 'string') return offered
  if (Array.isArray(offered)) return offered.map(choose).find((path) => path !== undefined)
  if (!isHolder(offered)) return undefined
  const fitting = Object.entries(offered).filter(([condition]) => ['node', 'import', 'default'].includes(condition))
  return fitting.map(([, value]) => choose(value)).find((path) => path !== undefined)
}

function findExport(module: Holder, entry: PackageEntry): { readonly value: unknown; readonly isFactory: boolean } {
  const factories = Object.keys(module).filter((name) => /^create[A-Z]/.test(name))
  const name = entry.export ?? (factories.length === 1 ? factories[0] : undefined)
  if (name !== undefined && module[name] !== undefined) return { value: module[name], isFactory: /^create[A-Z]/.test(name) }
  const offered = Object.keys(module).join(', ')
  throw misfit(entry, name === undefined ? `has no single create…; export names one of: ${offered}` : `has no ${name}; it has ${offered}`)
}

function makeModel(provider: unknown, { method }: PackageEntry, id: string): unknown {
  const make = isHolder(provider) ? provider[method ?? 'languageModel'] : undefined
  return make === undefined && method === undefined ? call(provider, id) : call(make, id, provider)
}

function call(made: unknown, argument: unknown, self?: unknown): unknown {
  return typeof made === 'function' ? Reflect.apply(made, self, [argument]) : undefined
}

const misfit = (entry: PackageEntry, problem: string) =>
  fail('USAGE', { problem: `The package ${entry.package} ${problem}.`, try: `${setting}, or another version of the package` })

/** Providers are functions that carry methods. */
const isHolder = (value: unknown): value is Holder => (typeof value === 'object' && value !== null) || typeof value === 'function'

const isModel = (value: unknown): value is LanguageModel =>
  isHolder(value) &&
  typeof value.doStream === 'function' &&
  typeof value.specificationVersion === 'string' &&
  typeof value.provider === 'string'
