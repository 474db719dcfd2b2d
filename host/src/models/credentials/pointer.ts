import { asRecord } from '../request/refusal.ts'

/** What a JSON pointer finds; undefined where there is nothing. */
export function readPointer(value: unknown, pointer: string): unknown {
  const steps = pointer.slice(1).split('/')
  return steps.reduce<unknown>((found, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const record = Array.isArray(found) ? Object.fromEntries(found.entries()) : asRecord(found)
    return record && Object.hasOwn(record, name) ? record[name] : undefined
  }, value)
}

/** Milliseconds since 1970, of what may be those, seconds or a date. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number' && value > 0) return value < 100_000_000_000 ? value * 1000 : value
  if (typeof value !== 'string') return undefined
  const date = /^\d+$/.test(value) ? Number(value) : Date.parse(value)
  return Number.isNaN(date) ? undefined : readTime(date)
}
