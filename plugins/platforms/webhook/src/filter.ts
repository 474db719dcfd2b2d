import { isDeepStrictEqual } from 'node:util'
import { fail } from '@agent/plugin-sdk/errors'
import { createPattern, PatternProblem } from './pattern.ts'
import { findField } from './payload.ts'

/** Whether an event is taken, by its payload. */
export type Filter = (payload: unknown) => boolean

type Test = (found: unknown) => boolean
type Problem = (what: string) => Error

const deepest = 10

/** Makes the tests of one field from the value that stands beside the operator. */
const operators: Readonly<Record<string, (wanted: unknown, problem: Problem) => Test>> = {
  exists: (wanted, problem) => readSwitch('exists', wanted, problem, isThere),
  missing: (wanted, problem) => readSwitch('missing', wanted, problem, (found) => !isThere(found)),
  equals: (wanted) => (found) => isDeepStrictEqual(found, wanted),
  not_equals: (wanted) => (found) => !isDeepStrictEqual(found, wanted),
  contains: (wanted) => (found) => holds(found, wanted),
  in: (wanted, problem) => {
    if (!Array.isArray(wanted)) throw problem('needs a list beside "in"')
    return (found) => wanted.some((one) => isDeepStrictEqual(one, found))
  },
  regex: (wanted, problem) => {
    if (typeof wanted !== 'string') throw problem('needs a text beside "regex"')
    const matches = readPattern(wanted, problem)
    return (found) => (typeof found === 'string' || typeof found === 'number') && matches(String(found))
  },
}

/** Reads the filters of a route; `key` names them where they cannot be used. */
export function createFilter(key: string, conditions: unknown): Filter {
  return readCondition(conditions, (what) => fail('ENV_INVALID', { name: key, problem: what }), 0)
}

function readCondition(condition: unknown, problem: Problem, depth: number): Filter {
  if (depth > deepest) throw problem(`nests deeper than ${deepest} levels`)
  const inner = (one: unknown): Filter => readCondition(one, problem, depth + 1)
  if (Array.isArray(condition)) return readAll(condition.map(inner))
  if (typeof condition !== 'object' || condition === null) throw problem('has a condition that is no mapping')
  const { field, ...rest } = condition as Record<string, unknown>
  const entries = Object.entries(rest)
  if (field === undefined) return readGroup(entries, inner, problem)
  if (typeof field !== 'string' || field === '') throw problem('has a field without a name')
  if (entries.length === 0) throw problem(`says nothing about the field "${field}"`)
  const tests = entries.map(([name, wanted]) => {
    if (!Object.hasOwn(operators, name)) throw problem(`has the unknown operator "${name}"; there are ${Object.keys(operators).join(', ')}`)
    return operators[name]?.(wanted, problem)
  })
  return (payload) => tests.every((test) => test?.(findField(payload, field)))
}

/** `all`, `any` and `not`. */
function readGroup(entries: readonly (readonly [string, unknown])[], inner: (one: unknown) => Filter, problem: Problem): Filter {
  if (entries.length === 0) throw problem('has an empty condition')
  return readAll(
    entries.map(([name, wanted]): Filter => {
      if (name === 'not') return readNot(inner(wanted))
      if (name !== 'all' && name !== 'any') throw problem(`has "${name}" without a field; without one there are all, any and not`)
      if (!Array.isArray(wanted) || wanted.length === 0) throw problem(`needs a list beside "${name}"`)
      const parts = wanted.map(inner)
      return name === 'all' ? readAll(parts) : (payload) => parts.some((part) => part(payload))
    }),
  )
}

function readAll(parts: readonly Filter[]): Filter {
  return (payload) => parts.every((part) => part(payload))
}

function readNot(part: Filter): Filter {
  return (payload) => !part(payload)
}

function readSwitch(name: string, wanted: unknown, problem: Problem, test: Test): Test {
  if (typeof wanted !== 'boolean') throw problem(`needs true or false beside "${name}"`)
  return (found) => test(found) === wanted
}

function isThere(found: unknown): boolean {
  return found !== undefined
}

function readPattern(source: string, problem: Problem): (text: string) => boolean {
  try {
    return createPattern(source)
  } catch (error) {
    if (error instanceof PatternProblem) throw problem(`has the regex "${source}", which ${error.message}`)
    throw error
  }
}

function holds(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(found)) return found.some((one) => isDeepStrictEqual(one, wanted))
  return typeof found === 'string' && typeof wanted === 'string' && found.includes(wanted)
}
