import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { type Document, isCollection, isMap, isScalar, parse } from 'yaml'
import { readEnvFile, writeEnvValue } from './environment/env-file.ts'
import { type Environment, openEnvironment } from './environment/environment.ts'
import { isSecretKey } from './environment/secret-keys.ts'
import { checkText } from './file/check-text.ts'
import { type ConfigFile, readConfigFile } from './file/config-file.ts'
import { currentSpelling } from './file/migrations.ts'
import { isReference } from './file/references.ts'
import { writeFileAtomic } from './home/atomic-file.ts'
import type { Home } from './home/home.ts'
import { configVersion } from './schema/defaults.ts'
import { type KnownKeys, openKeys } from './schema/keys.ts'

export interface EditTarget {
  readonly home: Home
  readonly processEnvironment: Readonly<Record<string, string | undefined>>
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
  const file = readConfigFile(target.home.files.config)
  const secret = isSecretKey(key) && text !== '' && !isReference(text)
  const variable = secret ? variableFor(path) : undefined
  const value = variable === undefined ? parseValue(text, path, keys) : `\${${variable}}`
  placeValue(file, path, value)
  const environment = environmentOf(target, variable === undefined ? {} : { [variable]: text })
  const written = check(target, file.document, path, environment)
  // The secret first: a reference without its value would break the next start.
  if (variable !== undefined) writeEnvValue(target.home.files.env, variable, text)
  writeFileAtomic(target.home.files.config, written)
  return { key: path.join('.'), file: target.home.files.config, ...(variable === undefined ? {} : { variable }) }
}

/** Removes one key, so that its default holds again; false when it was not set. */
export function unsetConfigValue(target: EditTarget, key: string): boolean {
  const file = readConfigFile(target.home.files.config)
  const path = currentSpelling(key).split('.')
  if (!file.document.hasIn(path)) {
    pathOf(key, openKeys())
    return false
  }
  file.document.deleteIn(path)
  for (let parent = path.slice(0, -1); parent.length > 0; parent = parent.slice(0, -1)) {
    const node = file.document.getIn(parent)
    if (!isCollection(node) || node.items.length > 0) break
    file.document.deleteIn(parent)
  }
  writeFileAtomic(target.home.files.config, format(file.document))
  return true
}

function pathOf(key: string, keys: KnownKeys): readonly string[] {
  const path = currentSpelling(key).split('.')
  if (keys.knows(path) && path[0] !== '_config_version') return path
  const nearest = keys.nearest(path)
  throw fail('CONFIG_KEY_UNKNOWN', nearest === undefined ? { key } : { key, nearest })
}

// Read as YAML, so that 5, true and [a, b] mean what they mean in the file; a text setting takes the words as they are.
function parseValue(text: string, path: readonly string[], keys: KnownKeys): unknown {
  if (keys.takesText(path)) return text
  try {
    return parse(text) as unknown
  } catch (error) {
    const [reason = ''] = detailOf(error).split('\n')
    throw fail('CONFIG_VALUE_INVALID', { key: path.join('.'), problem: `is not a YAML value: ${reason}` }, { cause: error })
  }
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

function check(target: EditTarget, document: Document, path: readonly string[], environment: Environment): string {
  const text = format(document)
  const key = path.join('.')
  const inside = (other: string): boolean => other === key || other.startsWith(`${key}.`) || key.startsWith(`${other}.`)
  const found = checkText(target.home.files.config, text, environment).problems.find((one) => one.level === 'error' && inside(one.key))
  if (found) throw fail('CONFIG_VALUE_INVALID', { key, problem: found.key === key ? found.problem : `${found.problem} (${found.key})` })
  return text
}

function environmentOf(target: EditTarget, more: Readonly<Record<string, string>>): Environment {
  return openEnvironment(target.processEnvironment, { ...readEnvFile(target.home.files.env).values, ...more })
}

function variableFor(path: readonly string[]): string {
  const meaningful = path.filter((part) => !['platforms', 'plugins', 'entries', 'extra', 'config'].includes(part))
  return meaningful
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
}

function format(document: Document): string {
  return document.toString({ lineWidth: 0 })
}
