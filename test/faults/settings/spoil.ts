import type { Random } from '../random.ts'
import type { SettingsCase, Sound } from './case.ts'

export type Mutation = (sound: Sound, random: Random) => Partial<SettingsCase>

export const bytes = (lines: readonly string[], end = '\n'): Uint8Array => Buffer.from(lines.map((line) => `${line}${end}`).join(''))

export const more = ({ lines }: Sound, ...added: readonly string[]): Uint8Array => bytes([...lines, ...added])

export function misspell(key: string, random: Random): string {
  const at = Math.floor(random.next() * key.length)
  const way = random.pick(['drop', 'double', 'confuse', 'capital'])
  if (way === 'drop') return `${key.slice(0, at)}${key.slice(at + 1)}` || 'x'
  if (way === 'double') return `${key.slice(0, at)}${key[at]}${key[at]}${key.slice(at + 1)}`
  // Cyrillic letters look the same.
  const twins: Readonly<Record<string, string>> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', i: 'і' }
  const twin = [...key].findIndex((letter) => twins[letter] !== undefined)
  if (way === 'confuse' && twin >= 0) return `${key.slice(0, twin)}${twins[key[twin] ?? '']}${key.slice(twin + 1)}`
  return key.toUpperCase()
}
