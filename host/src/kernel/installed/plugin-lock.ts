import { dirname, join } from 'node:path'
import { detailOf } from '@agent/plugin-sdk/errors'
import { readText } from '../read-text.ts'
import type { Surface } from './plugin-surface.ts'

/** One installed version of a plugin, as the lock file keeps it. */
export interface LockedVersion {
  /** What was asked for. */
  readonly spec: string
  /** Name in its package.json. */
  readonly package: string
  readonly version: string
  /** Where the tarball came from. */
  readonly resolved: string
  /** Empty when it came from none. */
  readonly registry: string
  /** Of the tarball: `sha512-…`. */
  readonly integrity: string
  /** SHA-256 of the list of all files with their hashes. */
  readonly files: string
  /** SHA-256 of agent.plugin.json. */
  readonly manifest: string
  /** SHA-256 of each entry file and of the code beside it: what a start compares. */
  readonly entries: Readonly<Record<string, string>>
  /** What npm put into node_modules, as a package lock has it. */
  readonly dependencies: Readonly<Record<string, unknown>>
  readonly surface: Surface
  readonly surfaceHash: string
  /** What was agreed to, and when. */
  readonly consent: { readonly hash: string; readonly at: string }
  readonly installedAt: string
}

export interface LockedPlugin extends LockedVersion {
  /** What `agent plugins rollback` returns to. */
  readonly previous: LockedVersion | null
}

/** What stands under an id and is no entry; kept as it is, and what is wrong with it. */
export interface BrokenEntry {
  readonly problem: string
  readonly entry: unknown
}

/** `plugins.lock.json`, as far as it can be understood. */
export interface PluginLock {
  readonly plugins: ReadonlyMap<string, LockedPlugin>
  readonly broken: ReadonlyMap<string, BrokenEntry>
  /** Why nothing could be read at all. */
  readonly damaged: string | undefined
}

const nothing: PluginLock = { plugins: new Map(), broken: new Map(), damaged: undefined }

/** The lock of a home; no file is an empty one, a damaged one is said to be. */
export function readPluginLock(file: string): PluginLock {
  try {
    const text = readText(file, { mostBytes: 16 * 1024 * 1024 })
    return text === undefined ? nothing : parsePluginLock(JSON.parse(text))
  } catch (error) {
    return { ...nothing, damaged: detailOf(error) }
  }
}

function parsePluginLock(raw: unknown): PluginLock {
  const { lockVersion, plugins } = fieldsOf(raw)
  if (lockVersion !== 1) return { ...nothing, damaged: `lockVersion is ${JSON.stringify(lockVersion)}, this version knows 1` }
  const found = { plugins: new Map<string, LockedPlugin>(), broken: new Map<string, BrokenEntry>() }
  for (const [id, entry] of Object.entries(fieldsOf(plugins))) {
    const problem = /^[a-z0-9][a-z0-9-]*$/.test(id) ? (findProblem(entry) ?? findPreviousProblem(entry)) : 'no plugin can have this id'
    if (problem === undefined) found.plugins.set(id, entry as LockedPlugin)
    else found.broken.set(id, { problem, entry })
  }
  return { ...found, damaged: undefined }
}

export function formatPluginLock({ plugins, broken }: Pick<PluginLock, 'plugins' | 'broken'>): string {
  const kept = [...broken].map(([id, { entry }]) => [id, entry] as const)
  const sorted = [...plugins, ...kept].sort(([left], [right]) => (left < right ? -1 : 1))
  return `${JSON.stringify({ lockVersion: 1, plugins: Object.fromEntries(sorted) }, null, 2)}\n`
}

/** `<store>/<id>/<version>-<hash8>`. */
export function storeFolder(store: string, id: string, { version, files }: Pick<LockedVersion, 'version' | 'files'>): string {
  return join(store, id, `${version}-${files.slice(0, 8)}`)
}

/** The list of hashes lies beside the version that it describes. */
export function fileListOf(folder: string): string {
  return `${folder}.sha256`
}

/** `<home>/plugins/store`, beside the lock. */
export function storeOf(lockFile: string): string {
  return join(dirname(lockFile), 'store')
}

const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  spec: isText,
  package: isText,
  version: (value) => typeof value === 'string' && /^\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/.test(value),
  resolved: isText,
  registry: (value) => typeof value === 'string',
  integrity: (value) => typeof value === 'string' && value.startsWith('sha512-'),
  files: isHash,
  manifest: isHash,
  entries: (value) => isFields(value) && Object.values(value).every(isHash),
  dependencies: isFields,
  surface: isFields,
  surfaceHash: isHash,
  consent: (value) => isFields(value) && isHash(value.hash) && isText(value.at),
  installedAt: isText,
}

function findProblem(entry: unknown): string | undefined {
  const fields = fieldsOf(entry)
  const wrong = Object.entries(shapes).find(([name, fits]) => !fits(fields[name]))
  return wrong && `${wrong[0]} is ${fields[wrong[0]] === undefined ? 'missing' : 'not what it should be'}`
}

function findPreviousProblem(entry: unknown): string | undefined {
  const { previous } = fieldsOf(entry)
  const problem = previous === null ? undefined : findProblem(previous)
  return problem && `previous.${problem}`
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {}
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}
