import type { ConversationTurn } from './conversation-schema.ts'
import { isWhole, occursIn } from './pattern.ts'

/** A call of a tool as the agent made it. */
export interface SeenCall {
  readonly name: string
  readonly args: unknown
}

/** What a turn came to. */
export interface SeenTurn {
  readonly answer: string
  readonly calls: readonly SeenCall[]
  readonly seconds: number
  readonly tokens: number
}

export interface Judging {
  readonly turn: ConversationTurn
  readonly seen: SeenTurn
  /** The text of a file of the workspace; undefined where there is none. */
  readonly readFile: (path: string) => string | undefined
  /** `file:line` of a part of the turn. */
  readonly placeOf: (path: readonly (string | number)[]) => string
}

/** What a turn did not do as it was expected, a sentence each. */
export function judgeTurn(judging: Judging): readonly string[] {
  return [...judgeCalls(judging), ...judgeAnswer(judging), ...judgeFiles(judging), ...judgeBudget(judging)]
}

function judgeCalls({ turn: { expect }, seen: { calls }, placeOf }: Judging): readonly string[] {
  const open = [...calls]
  const problems: string[] = []
  for (const [index, wanted] of expect.calls.entries()) {
    const at = open.findIndex((call) => fits(call, wanted))
    if (at < 0) problems.push(`${placeOf(['expect', 'calls', index])}: ${missing(wanted, calls, expect.order === 'given')}`)
    // In the given order nothing before it counts any more.
    else open.splice(expect.order === 'given' ? 0 : at, expect.order === 'given' ? at + 1 : 1)
  }
  return problems
}

type WantedCall = ConversationTurn['expect']['calls'][number]

function fits(call: SeenCall, { name, args }: WantedCall): boolean {
  if (call.name !== name) return false
  const given = (typeof call.args === 'object' && call.args !== null ? call.args : {}) as Readonly<Record<string, unknown>>
  return Object.entries(args).every(([key, wanted]) => {
    const value = Object.hasOwn(given, key) ? given[key] : undefined
    if (value === undefined) return false
    return typeof wanted === 'string' ? occursIn(wanted, typeof value === 'string' ? value : JSON.stringify(value)) : wanted === value
  })
}

function missing(wanted: WantedCall, calls: readonly SeenCall[], inOrder: boolean): string {
  const outOfOrder = inOrder && calls.some((call) => fits(call, wanted))
  const made = calls.length === 0 ? 'no tool was called' : `the calls were ${quoteShortly(calls.map(showCall).join(', '))}`
  return outOfOrder
    ? `the call of ${showCall(wanted)} came before the one that is expected before it; ${made}`
    : `a call of ${showCall(wanted)} is expected, and ${made}`
}

function judgeAnswer({ turn: { expect }, seen: { answer, calls }, placeOf }: Judging): readonly string[] {
  const lacking = expect.answer.flatMap((wanted, index) =>
    occursIn(wanted, answer)
      ? []
      : [
          `${placeOf(['expect', 'answer', index])}: the answer is expected to say ${quote(wanted)}, and it was ${quoteShortly(quote(answer))}`,
        ],
  )
  const said = [answer, ...calls.map(showCall)]
  const forbidden = expect.never.flatMap((unwanted, index) => {
    const found = said.find((each) => occursIn(unwanted, each))
    return found === undefined
      ? []
      : [`${placeOf(['expect', 'never', index])}: ${quote(unwanted)} must never come, and it came in ${quoteShortly(quote(found))}`]
  })
  return [...lacking, ...forbidden]
}

function judgeFiles({ turn: { expect }, readFile, placeOf }: Judging): readonly string[] {
  return Object.entries(expect.files).flatMap(([path, wanted]) => {
    const text = readFile(path)
    if (text !== undefined && isWhole(wanted, text)) return []
    const found = text === undefined ? 'there is no such file' : `it holds ${quoteShortly(quote(text))}`
    return [`${placeOf(['expect', 'files', path])}: ${path} is expected to hold ${quoteShortly(quote(wanted))}, and ${found}`]
  })
}

function judgeBudget({ turn: { budget }, seen, placeOf }: Judging): readonly string[] {
  const taken = { calls: seen.calls.length, seconds: seen.seconds, tokens: seen.tokens }
  return (['calls', 'seconds', 'tokens'] as const).flatMap((what) => {
    const most = budget[what]
    return most === undefined || taken[what] <= most
      ? []
      : [`${placeOf(['budget', what])}: at most ${most} ${what} are allowed, and it took ${taken[what]}`]
  })
}

const quote = (text: string): string => (/^\/.+\/[a-z]*$/s.test(text) ? text : JSON.stringify(text))

function showCall({ name, args }: { readonly name: string; readonly args: unknown }): string {
  const shown = JSON.stringify(args)
  return shown === undefined || shown === '{}' ? name : `${name} ${shown}`
}

const mostShown = 300
const quoteShortly = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text)
