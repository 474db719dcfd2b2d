import type { StopReason, Usage } from '@agent/plugin-sdk'
import type { Action, Answer } from './action.ts'
import { isFailureClass } from './failure-classes.ts'

export interface ScriptTurn {
  /** By what errors name it. */
  readonly place: string
  readonly expect: string | undefined
  /** What has to stand somewhere in all that the model is given. */
  readonly when: readonly string[]
  readonly answer: Answer
}

type Fields = Readonly<Record<string, unknown>>

const known = ['name', 'expect', 'when', 'say', 'reason', 'calls', 'fail', 'usage', 'stop']
const stops: readonly StopReason[] = ['stop', 'tool-calls', 'length', 'content-filter']

/** Throws a sentence that begins with `place` when a field is wrong. */
export function parseTurn(value: unknown, where: string): ScriptTurn {
  const turn = fieldsOf(value, where)
  const place = textOf(turn.name, `${where}, name`) ?? where
  const stranger = Object.keys(turn).find((key) => !known.includes(key))
  if (stranger) throw new Error(`${place}: there is no field "${stranger}"; the fields are ${known.join(', ')}`)
  const actions: Action[] = []
  const thought = textOf(turn.reason, `${place}, reason`)
  if (thought) actions.push({ type: 'think', text: thought })
  const said = textOf(turn.say, `${place}, say`)
  if (said) actions.push({ type: 'say', text: said })
  for (const [index, call] of listOf(turn.calls, `${place}, calls`).entries()) actions.push(parseCall(call, `${place}, call ${index + 1}`))
  if (turn.fail !== undefined) actions.push(parseFailure(turn.fail, `${place}, fail`))
  if (actions.length === 0) throw new Error(`${place} does nothing: give it say, reason, calls or fail`)
  return {
    place,
    expect: textOf(turn.expect, `${place}, expect`),
    when: parseWhen(turn.when, `${place}, when`),
    answer: {
      actions,
      ...(turn.usage === undefined ? {} : { usage: parseUsage(turn.usage, `${place}, usage`) }),
      ...(turn.stop === undefined ? {} : { stop: parseStop(turn.stop, `${place}, stop`) }),
    },
  }
}

function parseWhen(value: unknown, place: string): readonly string[] {
  const one = typeof value === 'string' ? [value] : value
  return listOf(one, place).map((each, index) => textOf(each, `${place} ${index + 1}`) ?? '')
}

/** Arguments as a text are sent as they stand, broken ones too. */
function parseCall(value: unknown, place: string): Action {
  const { name, args = {}, id } = fieldsOf(value, place)
  if (typeof name !== 'string' || name === '') throw new Error(`${place} needs the name of a tool`)
  const named = textOf(id, `${place}, id`)
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return { type: 'call', name, args: text, unchecked: true, ...(named ? { id: named } : {}) }
}

function parseFailure(value: unknown, place: string): Action {
  const { class: kind, detail, retry_after_ms: wait } = typeof value === 'string' ? ({ class: value } as Fields) : fieldsOf(value, place)
  if (!isFailureClass(kind)) throw new Error(`${place}: ${JSON.stringify(kind)} is not a class of failure`)
  if (wait !== undefined && typeof wait !== 'number') throw new Error(`${place}: retry_after_ms is not a number`)
  const text = textOf(detail, `${place}, detail`) ?? 'the script says so'
  return { type: 'fail', class: kind, detail: text, ...(wait === undefined ? {} : { retryAfterMs: wait }) }
}

function parseUsage(value: unknown, place: string): Partial<Usage> {
  const fields = fieldsOf(value, place)
  const names: readonly (keyof Usage)[] = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning']
  for (const [key, count] of Object.entries(fields)) {
    if (!names.some((name) => name === key) || typeof count !== 'number')
      throw new Error(`${place}: ${key} is not one of ${names.join(', ')}, with a number`)
  }
  return fields as Partial<Usage>
}

function parseStop(value: unknown, place: string): StopReason {
  const stop = stops.find((reason) => reason === value)
  if (!stop) throw new Error(`${place} is not one of ${stops.join(', ')}`)
  return stop
}

function fieldsOf(value: unknown, place: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new Error(`${place} is not a mapping`)
}

function listOf(value: unknown, place: string): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw new Error(`${place} is not a list`)
}

function textOf(value: unknown, place: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`${place} is not a text`)
}
