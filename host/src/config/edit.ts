import { fail } from '@agent/plugin-sdk/errors'
import { type Document, isCollection, isMap, isScalar } from 'yaml'
import { readEnvFile, writeEnvValue, writeEnvValues } from './environment/env-file.ts'
import { type Environment, openEnvironment } from './environment/environment.ts'
import { isSecretKey } from './environment/secret-keys.ts'
import { checkText } from './file/check-text.ts'
import { type ConfigFile, readConfigFile } from './file/config-file.ts'
import { formatDocument } from './file/format-document.ts'
import { currentSpelling } from './file/migrations.ts'
import type { ReadConfig } from './file/read-config.ts'
import { isReference } from './file/references.ts'
import { findWithoutEffect } from './file/without-effect.ts'
import { writeFileAtomic } from './home/atomic-file.ts'
import { withFileLock } from './home/file-lock.ts'
import type { Home } from './home/home.ts'
import { readValue, type SchemaOf } from './read-value.ts'
import { configVersion } from './schema/defaults.ts'
import { type KnownKeys, openKeys } from './schema/keys.ts'
import { isTree } from './schema/merge.ts'

export interface EditTarget {
  readonly home: Home
  readonly processEnvironment: Readonly<Record<string, string | undefined>>
  /** What plugins say about their settings. */
  readonly schemaOf?: SchemaOf
}

export interface Edited {
  readonly key: string
  readonly file: string
  /** The variable of `.env` that took the secret. */
  readonly variable?: string
}

/** Sets one key and keeps everything else in the file, comments included. A value that does not fit is refused and nothing is written. */
export function setConfigValue(target: EditTarget, key: string, text: string): Edited {
  const keys = openKeys()
  const path = pathOf(key, keys)
  return change(target, (file) => {
    const secret = isSecretKey(key) && text !== '' && !isReference(text)
    const variable = secret ? variableFor(file, path) : undefined
    placeValue(file, path, variable === undefined ? readValue(text, path, keys, target.schemaOf) : `\${${variable}}`)
    const environment = environmentOf(target, variable === undefined ? {} : { [variable]: text })
    const written = check(target, file, path, environment)
    // The secret first: a reference without its value would break the next start.
    if (variable !== undefined) writeEnvValue(target.home.files.env, variable, text)
    write(target, written)
    return { key: path.join('.'), file: target.home.files.config, ...(variable === undefined ? {} : { variable }) }
  })
}

/** Several changes at once. */
export interface ConfigEdits {
  /** By dotted key; null takes it out. The values are what they are: no words of a command line. */
  readonly values: Readonly<Record<string, unknown>>
  /** Variables that change with them; undefined takes one out. */
  readonly variables?: Readonly<Record<string, string | undefined>>
}

/** Changes keys and variables: all of them, or nothing where one of them does not fit. Gives back the variables that took secrets. */
export function changeConfig(target: EditTarget, { values, variables = {} }: ConfigEdits): readonly string[] {
  return change(target, (file) => {
    const { text, secrets } = apply(target, file, { values, variables })
    writeEnvValues(target.home.files.env, { ...variables, ...secrets })
    if (text !== undefined) write(target, text)
    return Object.keys(secrets)
  })
}

/** What would hold after `changeConfig`, for those who look further before they write. */
export function previewConfig(target: EditTarget, edits: ConfigEdits): ReadConfig {
  const { files } = target.home
  const file = readConfigFile(files.config)
  const { text, secrets } = apply(target, file, edits)
  return checkText(files.config, text ?? file.text, environmentOf(target, definedOf({ ...edits.variables, ...secrets })))
}

interface Applied {
  /** Undefined where the file stays as it is. */
  readonly text: string | undefined
  readonly secrets: Readonly<Record<string, string>>
}

function apply(target: EditTarget, file: ConfigFile, { values, variables = {} }: ConfigEdits): Applied {
  const keys = openKeys()
  const secrets: Record<string, string> = {}
  const paths = Object.entries(values).map(([key, value]) => {
    const path = pathOf(key, keys)
    if (value == null) removeAt(file.document, path)
    else placeValue(file, path, moveSecrets(file, { value, path }, secrets))
    return { path, gone: value == null }
  })
  const [first] = paths
  if (!first) return { text: undefined, secrets }
  const environment = environmentOf(target, definedOf({ ...variables, ...secrets }))
  for (const { path, gone } of paths) if (!gone) check(target, file, path, environment)
  const text = format(file, first.path.join('.'))
  return { text: text === file.text ? undefined : text, secrets }
}

/** The value with a reference in the place of each secret. */
function moveSecrets(
  file: ConfigFile,
  { value, path }: { readonly value: unknown; readonly path: readonly string[] },
  secrets: Record<string, string>,
): unknown {
  const move = (item: unknown, name: string): unknown => moveSecrets(file, { value: item, path: [...path, name] }, secrets)
  if (Array.isArray(value)) return value.map((item: unknown, at) => move(item, String(at)))
  if (isTree(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, move(item, name)]))
  if (typeof value !== 'string' || value === '' || !isSecretKey(path.join('.')) || isReference(value)) return value
  const variable = variableFor(file, path, secrets)
  secrets[variable] = value
  return `\${${variable}}`
}

function definedOf(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']))
}

/** Removes one key, so that its default holds again; false when it was not set. */
export function unsetConfigValue(target: EditTarget, key: string): boolean {
  return change(target, (file) => {
    const path = currentSpelling(key).split('.')
    if (!file.document.hasIn(path)) {
      pathOf(key, openKeys())
      return false
    }
    removeAt(file.document, path)
    write(target, format(file, key))
    return true
  })
}

/** With the sections around it that are empty then. */
function removeAt(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return
  document.deleteIn(path)
  for (let parent = path.slice(0, -1); parent.length > 0; parent = parent.slice(0, -1)) {
    const node = document.getIn(parent)
    if (!isCollection(node) || node.items.length > 0) break
    document.deleteIn(parent)
  }
}

/** Nobody else changes the file between its reading and its writing. */
function change<T>({ home }: EditTarget, edit: (file: ConfigFile) => T): T {
  return withFileLock(home.files.config, () => edit(readConfigFile(home.files.config)))
}

function write({ home }: EditTarget, text: string): void {
  writeFileAtomic(home.files.config, text, { keepMode: true })
}

function pathOf(key: string, keys: KnownKeys): readonly string[] {
  const path = currentSpelling(key).split('.')
  if (keys.knows(path) && path[0] !== '_config_version') return path
  const nearest = keys.nearest(path)
  throw fail('CONFIG_KEY_UNKNOWN', nearest === undefined ? { key } : { key, nearest })
}

function placeValue(file: ConfigFile, path: readonly string[], value: unknown): void {
  const { document } = file
  if (!document.has('_config_version') && isCollection(document.contents)) {
    document.contents.items.unshift(document.createPair('_config_version', configVersion))
  }
  openParents(document, path)
  const existing = document.getIn(path, true)
  // Changing the scalar in place keeps the comment behind it.
  if (isScalar(existing) && (typeof value !== 'object' || value === null)) existing.value = value
  else document.setIn(path, document.createNode(value))
}

function openParents(document: Document, path: readonly string[]): void {
  for (let length = 1; length < path.length; length++) {
    const parent = path.slice(0, length)
    if (!document.hasIn(parent)) return
    const node = document.getIn(parent)
    if (node === null) document.deleteIn(parent)
    else if (!isMap(node)) {
      throw fail('CONFIG_VALUE_INVALID', {
        key: path.join('.'),
        problem: `lies inside ${parent.join('.')}, which is no section in the file`,
      })
    }
  }
}

function check(target: EditTarget, file: ConfigFile, path: readonly string[], environment: Environment): string {
  const key = path.join('.')
  const text = format(file, key)
  const inside = (other: string): boolean => other === key || other.startsWith(`${key}.`) || key.startsWith(`${other}.`)
  const checked = checkText(target.home.files.config, text, environment)
  const problems = [...checked.problems, ...findWithoutEffect(checked.config, () => ({ file: '', line: 0 }))]
  const found = problems.find((one) => one.level === 'error' && inside(one.key))
  if (found) throw fail('CONFIG_VALUE_INVALID', { key, problem: found.key === key ? found.problem : `${found.problem} (${found.key})` })
  return text
}

function environmentOf(target: EditTarget, more: Readonly<Record<string, string>>): Environment {
  return openEnvironment(target.processEnvironment, { ...readEnvFile(target.home.files.env).values, ...more })
}

/** One that no other key uses: keys that differ in signs alone, such as those of `a-b` and `a_b`, must not share a secret. */
function variableFor({ document, text }: ConfigFile, path: readonly string[], taken: Readonly<Record<string, string>> = {}): string {
  const meaningful = path.filter((part) => !['platforms', 'plugins', 'entries', 'extra', 'config'].includes(part))
  const name = meaningful
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
  const isFree = (variable: string): boolean => {
    const reference = `\${${variable}}`
    return !Object.hasOwn(taken, variable) && (document.getIn(path) === reference || !text.includes(reference))
  }
  let variable = name
  for (let more = 2; !isFree(variable); more++) variable = `${name}_${more}`
  return variable
}

function format({ document, text }: ConfigFile, key: string): string {
  const formatted = formatDocument(document, text)
  if (formatted === undefined) throw fail('CONFIG_VALUE_INVALID', { key, problem: 'cannot be written without changing other settings' })
  return formatted
}
