import { fail } from '@agent/plugin-sdk/errors'
import { type Document, isMap } from 'yaml'
import { configVersion } from '../schema/defaults.ts'
import { readConfigText } from './config-text.ts'
import { type KeyPath, offsetOf } from './key-path.ts'
import { migrateDocument } from './migrate.ts'
import { spellings } from './migrations.ts'
import { parseYaml } from './parse-yaml.ts'
import { readPlain } from './read-plain.ts'

/** config.yaml as it stands in the file, brought to the current version in memory. */
export interface ConfigFile {
  readonly document: Document
  /** As it was read. */
  readonly text: string
  readonly migrated: boolean
  /** Plain data of the whole file. */
  readonly value: Readonly<Record<string, unknown>>
  /** Line of a key, or of the nearest section around it that stands in the file. */
  lineOf(path: KeyPath): number
}

/** Reads the file; one that is not YAML, not a list of keys or too new is refused and left alone. */
export function readConfigFile(file: string): ConfigFile {
  return parseConfigFile(file, readConfigText(file) ?? '')
}

export function parseConfigFile(file: string, text: string): ConfigFile {
  const value = mayBeOld(text) ? undefined : readPlain(text)
  if (value?._config_version !== configVersion) return parseWhole(file, text)
  let whole: ConfigFile | undefined
  const parse = (): ConfigFile => {
    whole ??= parseWhole(file, text)
    return whole
  }
  return {
    // Who changes the file, and who names its lines, needs it as YAML.
    get document() {
      return parse().document
    },
    ...{ text, value, migrated: false },
    lineOf: (path) => parse().lineOf(path),
  }
}

/** Names that are changed also in a file of this version. */
const oldNames = ['reply_prefix', ...spellings.map(({ from }) => from.at(-1) ?? '')]

function mayBeOld(text: string): boolean {
  return oldNames.some((name) => text.includes(name))
}

function parseWhole(file: string, text: string): ConfigFile {
  const parsed = parseYaml(text)
  if (!parsed.ok) throw fail('CONFIG_BROKEN', { file, ...parsed.fault })
  const { document, lines } = parsed
  if (document.contents === null) document.contents = document.createNode({}) as Document['contents']
  if (!isMap(document.contents))
    throw fail('CONFIG_INVALID', { file, line: 1, key: 'the file', problem: 'must be a list of keys and values' })
  const migrated = migrateDocument(document, file)
  return {
    document,
    text,
    migrated,
    value: document.toJS({ maxAliasCount: -1 }) as Readonly<Record<string, unknown>>,
    lineOf: (path) => lines.linePos(offsetOf(document, path)).line || 1,
  }
}
