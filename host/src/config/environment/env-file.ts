import { readText } from '#kernel/read-text.ts'
import { writeFileAtomic } from '../home/atomic-file.ts'
import { withFileLock } from '../home/file-lock.ts'

export interface EnvFile {
  readonly values: Readonly<Record<string, string>>
  /** Line of each name, from 1. */
  readonly lines: Readonly<Record<string, number>>
  /** Lines that are neither a setting, a comment nor empty. */
  readonly unreadable: readonly number[]
  /** Names that have stood in a line before this one. */
  readonly repeated: readonly { readonly name: string; readonly line: number }[]
}

const setting = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' }

const mostBytes = 256 * 1024

/** Reads `NAME=value` lines; a missing file has no values. */
export function readEnvFile(path: string): EnvFile {
  return parseEnvFile(readText(path, { mostBytes }) ?? '')
}

export function parseEnvFile(text: string): EnvFile {
  const values: Record<string, string> = {}
  const lines: Record<string, number> = {}
  const unreadable: number[] = []
  const repeated: { name: string; line: number }[] = []
  for (const [index, line] of splitLines(text).entries()) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue
    const [, name, raw] = setting.exec(line) ?? []
    const value = raw === undefined ? undefined : parseValue(raw)
    if (name === undefined || value === undefined) {
      unreadable.push(index + 1)
      continue
    }
    if (Object.hasOwn(values, name)) repeated.push({ name, line: index + 1 })
    values[name] = value
    lines[name] = index + 1
  }
  return { values, lines, unreadable, repeated }
}

/** Writes one name and leaves every other line, comments included, as it is; `undefined` removes the name. */
export function writeEnvValue(path: string, name: string, value: string | undefined): void {
  writeEnvValues(path, { [name]: value })
}

/** Writes several names at once: all of them are there afterwards, or none is changed. */
export function writeEnvValues(path: string, values: Readonly<Record<string, string | undefined>>): void {
  withFileLock(path, () => {
    const text = readText(path, { mostBytes }) ?? ''
    const changed = Object.entries(values).reduce((before, [name, value]) => setEnvValue(before, name, value), text)
    if (changed !== text) writeFileAtomic(path, changed)
  })
}

/** The text of an `.env` with one name changed. Of a name that stands there twice the last one counts; the others go. */
export function setEnvValue(text: string, name: string, value: string | undefined): string {
  const lines = splitLines(text)
  const [, start, end] = /^(\uFEFF?)[^\n]*?(\r?\n|$)/.exec(text) ?? []
  const written = value === undefined ? undefined : `${name}=${formatValue(value)}`
  const last = lines.findLastIndex((line) => isSettingOf(line, name))
  const changed = lines.flatMap((line, index) => {
    if (!isSettingOf(line, name)) return [line]
    return index === last && written !== undefined ? [written] : []
  })
  if (last === -1 && written !== undefined) changed.push(written)
  return changed.length === 0 ? '' : `${start}${changed.map((line) => `${line}${end || '\n'}`).join('')}`
}

function splitLines(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function isSettingOf(line: string, name: string): boolean {
  return setting.exec(line)?.[1] === name
}

function parseValue(raw: string): string | undefined {
  const quote = raw[0]
  if (quote !== '"' && quote !== "'") return raw.replace(/(^|\s)#.*$/, '').trim()
  const quoted = quote === '"' ? /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/ : /^'([^']*)'\s*(?:#.*)?$/
  const inner = quoted.exec(raw)?.[1]
  if (inner === undefined) return undefined
  return quote === "'" ? inner : inner.replace(/\\(.)/g, (whole, letter: string) => escapes[letter] ?? whole)
}

function formatValue(value: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]*$/.test(value)) return value
  if (!/['\n\r]/.test(value)) return `'${value}'`
  return `"${value
    .replace(/[\\"$]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}"`
}
