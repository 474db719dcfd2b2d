import type { EnvManifest } from '@agent/plugin-sdk'
import { parseWord } from '../schema/words.ts'

/** What a variable must hold, where not every text will do. */
export type VariableValue = NonNullable<EnvManifest['value']>

const address = 'must be an address that begins with http:// or https://'

const checks: Readonly<Record<Extract<VariableValue, string>, (text: string) => string | undefined>> = {
  switch: (text) => (parseWord(text) === undefined ? 'must be true or false' : undefined),
  port: (text) => (isWhole(text, 1, 65_535) ? undefined : 'must be a number from 1 to 65535'),
  'listen-port': (text) => (isWhole(text, 0, 65_535) ? undefined : 'must be a number from 0 to 65535'),
  number: (text) => (/^\d{1,9}(\.\d+)?$/.test(text.trim()) ? undefined : 'must be a number'),
  address: (text) => (/^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim()) ? undefined : address),
}

/** Completes the sentence "<variable> …" where its text does not fit. */
export function misfitOf(value: VariableValue | undefined, text: string): string | undefined {
  if (value === undefined || text.trim() === '') return undefined
  if (typeof value === 'string') return checks[value](text)
  return value.includes(text.trim().toLowerCase()) ? undefined : `must be one of ${value.join(', ')}`
}

/** The same for a text that other variables could hold, and that is hardly meant for this one. */
export function doubtOf(form: EnvManifest['form'], text: string): string | undefined {
  if (form === undefined) return undefined
  const whole = new RegExp(`^(?:${form.pattern})$`)
  const odd = text.split(',').some((part) => !whole.test(part.trim()))
  return odd ? `does not look like ${form.like}` : undefined
}

function isWhole(text: string, least: number, most: number): boolean {
  const number = Number(text)
  return /^\s*\d{1,5}\s*$/.test(text) && number >= least && number <= most
}
