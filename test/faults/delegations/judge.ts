import type { SessionSummary } from '../../../host/src/store/sessions.ts'
import { askedIn, type DelegatedResult, resultsIn } from '../../support/agents/scripted-agents.ts'
import type { FakeRequest } from '../../support/fakes/fake-vendor.ts'
import { crashLimit, isMark } from '../judge.ts'
import { apology, plainWords } from '../right-answer.ts'
import type { StoredMessage } from '../stored.ts'
import type { Column } from '../table.ts'
import type { Arrival, Said } from '../vendor.ts'
import { answerOf } from './model.ts'

export interface Evidence {
  readonly accepted: readonly Said[]
  readonly stored: readonly StoredMessage[]
  readonly arrivals: readonly Arrival[]
  /** At how many kills a message was in work. */
  readonly crashes: ReadonlyMap<string, number>
  /** What tools wrote down, one line for each run. */
  readonly lines: readonly string[]
  readonly children: readonly Pick<SessionSummary, 'parent' | 'preview' | 'endedAt' | 'endReason'>[]
  /** All that models were asked. */
  readonly requests: readonly FakeRequest[]
}

export interface Row {
  readonly kind: string
  messages: number
  answered: number
  givenUp: number
  stopped: number
  wrong: number
  lost: number
  doubled: number
}

export const columns: readonly Column<Row>[] = [
  ['messages', ({ kind }) => kind],
  ['accepted', ({ messages }) => messages],
  ['answered rightly', ({ answered }) => answered],
  ['given up at the third crash', ({ givenUp }) => givenUp],
  ['stopped', ({ stopped }) => stopped],
  ['wrong', ({ wrong }) => wrong],
  ['lost', ({ lost }) => lost],
  ['doubled', ({ doubled }) => doubled],
]

interface Verdict {
  readonly rows: readonly Row[]
  readonly delegations: number
  /** How many child agents ended how. */
  readonly ends: Readonly<Record<string, number>>
  /** Results of children that were compared with what their models were asked. */
  readonly matched: number
  /** What broke a guarantee, one sentence each. */
  readonly problems: readonly string[]
}

export function judge(evidence: Evidence): Verdict {
  const rows = new Map<string, Row>()
  const problems: string[] = []
  for (const said of evidence.accepted) {
    const [, id, kind] = /^delegate (\S+) (\S+)$/.exec(said.text) ?? []
    if (id === undefined || kind === undefined) continue
    const name = id.startsWith('stop') ? 'stopped' : kind
    const row = rows.get(name) ?? { kind: name, messages: 0, answered: 0, givenUp: 0, stopped: 0, wrong: 0, lost: 0, doubled: 0 }
    rows.set(name, row)
    row.messages++
    const { end, why } = endOf(evidence, id)
    row[end]++
    if (why !== undefined) problems.push(`${id} (${kind}): ${why}`)
  }
  const twice = evidence.lines.filter((line, index) => evidence.lines.indexOf(line) !== index)
  if (twice.length > 0) problems.push(`Tools of children ran twice: ${twice.join(', ')}.`)
  const open = evidence.children.filter(({ endedAt }) => endedAt === null)
  if (open.length > 0)
    problems.push(
      `${open.length} sessions of children have no end: ${open.map(({ preview, parent }) => `${preview} (of ${parent})`).join(', ')}.`,
    )
  const results = matchResults(evidence.requests)
  const ends: Record<string, number> = {}
  for (const { endReason } of evidence.children) ends[endReason ?? 'open'] = (ends[endReason ?? 'open'] ?? 0) + 1
  const { matched } = results
  return {
    rows: [...rows.values()],
    delegations: evidence.children.length,
    ends,
    matched,
    problems: [...problems, ...results.problems, ...findUntold(evidence)],
  }
}

type End = 'answered' | 'givenUp' | 'stopped' | 'wrong' | 'lost' | 'doubled'

function endOf({ stored, arrivals, crashes }: Evidence, id: string): { readonly end: End; readonly why?: string } {
  const own = arrivals.filter((arrival) => arrival.answers === id && !isMark(arrival) && !isTold(arrival))
  const texts = own.map(({ text }) => plainWords(text))
  const state = stored.find((message) => message.id === id)?.state
  if (own.length > 1) return { end: 'doubled', why: `${own.length} answers arrived: ${texts.join(' | ')}` }
  if (id.startsWith('stop'))
    return own.length === 1 && texts[0] === 'Interrupted.'
      ? { end: 'stopped' }
      : { end: 'wrong', why: `it was stopped, and its answer is ${texts[0] ?? 'missing'}` }
  if (own.length === 0) return { end: 'lost', why: `no answer arrived; it is ${state}` }
  if (texts[0] === apology) {
    const times = crashes.get(id) ?? 0
    return times >= crashLimit ? { end: 'givenUp' } : { end: 'wrong', why: `it was given up, and was in work at ${times} kills` }
  }
  return texts[0] === answerOf(id) ? { end: 'answered' } : { end: 'wrong', why: `its answer is ${texts[0]}` }
}

/** It says what came of a child that worked on behind the answer: the agent does, or after the third crash the gateway. */
const isTold = ({ text }: Arrival): boolean => /^(?:told |A child agent has ended \()/.test(plainWords(text))

/** Of children that work behind an answer: each that the journal knows of has to be told once, where its task was asked for. */
function findUntold({ stored, arrivals }: Evidence): readonly string[] {
  const told = arrivals.filter(isTold).map(({ answers, text }) => ({ answers, words: plainWords(text) }))
  const places = stored.filter(({ id }) => id.startsWith('child:'))
  const problems = places.flatMap(({ text: goal }) => {
    const own = told.filter(({ answers, words }) => answers === goal.split(' ')[0] && words.includes(goal))
    return own.length === 1 ? [] : [`What came of the child "${goal}" was told ${own.length} times.`]
  })
  if (told.length !== places.length) problems.push(`${places.length} children worked behind answers, and ${told.length} were told.`)
  return problems
}

interface Body {
  readonly messages: readonly {
    readonly role: string
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[]
  }[]
}

/** Compares what a parent heard of its children, field by field, with what the models of these were asked and heard. */
function matchResults(requests: readonly FakeRequest[]): { readonly matched: number; readonly problems: readonly string[] } {
  const problems: string[] = []
  const seen = new Set<string>()
  for (const text of requests.flatMap((request) => resultsIn(request))) {
    if (!text.startsWith('{"results":')) continue
    for (const result of (JSON.parse(text) as { results: readonly DelegatedResult[] }).results) {
      const goal = /^I am (.+ tool)\.$/.exec(result.summary ?? '')?.[1]
      if (goal === undefined || seen.has(result.session_id)) continue
      seen.add(result.session_id)
      const due = resultDue(requests.filter((request) => askedIn(request).split('\n')[0] === goal))
      for (const [field, value] of Object.entries(due)) {
        const found = JSON.stringify(result[field as keyof DelegatedResult])
        if (found !== JSON.stringify(value)) problems.push(`${goal}: ${field} is ${found}, and has to be ${JSON.stringify(value)}.`)
      }
    }
  }
  return { matched: seen.size, problems }
}

/** What the result of a child has to say that was asked for twice: before its tool and after it. */
function resultDue(asked: readonly FakeRequest[]): Partial<DelegatedResult> {
  const last = asked.at(-1)
  const calls = (last?.body as Body | undefined)?.messages.flatMap(({ tool_calls = [] }) => tool_calls) ?? []
  const heard = last ? resultsIn(last) : []
  return {
    ...{ status: 'completed', exit_reason: 'completed', model: 'fake-model', api_calls: asked.length },
    tool_trace: calls.map(({ function: { name, arguments: args } }, index) => ({
      tool: name,
      args_bytes: Buffer.byteLength(args),
      result_bytes: Buffer.byteLength(heard[index] ?? ''),
      status: 'ok',
    })),
  }
}
