import type { Call, HookEvents, ToolOutcome } from '@agent/plugin-sdk'
import { errors } from '@agent/plugin-sdk/errors'
import { createCall, passCall } from '#kernel/calls/call.ts'
import { newId } from '#kernel/ids.ts'
import type { OtherCall, PreparedCall, ToolDone } from '#tools/tool-turn.ts'
import type { CallPart, JudgedAnswer, OpenStep, Turn } from './turn.ts'

/** Runs the calls that the model asked for in one step; the step is on disk before the first of them starts. */
export async function runToolCalls(turn: Turn, { parts, usage, calls, theirs, refused }: JudgedAnswer): Promise<void> {
  await turn.recordStep({ type: 'model', parts, usage, ...(refused.length > 0 ? { refused } : {}) })
  for (const outcome of refused) tellRefused(turn, outcome)
  const own = calls.filter((call) => !theirs.includes(call))
  if (own.length > 0) await runOpenCalls(turn, { calls: own, results: refused })
}

function tellRefused(turn: Turn, { id, name, ok, text }: ToolOutcome): void {
  turn.emit({ type: 'tool.start', id, name, args: {}, preview: '' })
  turn.emit({ type: 'tool.complete', id, name, ok, text, durationMs: 0 })
  tellHooks(turn, name, { ok, durationMs: 0, error: null })
}

interface Prepared {
  readonly call: CallPart
  readonly prepared: PreparedCall
}

/**
 * Runs the calls of a step that have no result yet and appends all results in the order of the calls.
 * Approvals are asked for first, one after another; then parallel tools run side by side and the others one by one.
 */
export async function runOpenCalls(turn: Turn, step: OpenStep): Promise<void> {
  const results = new Map(step.results.map((result) => [result.id, result]))
  try {
    const ready: Prepared[] = []
    for (const call of step.calls)
      if (!results.has(call.id)) ready.push({ call, prepared: await turn.toolbox.prepare(call, turn.toolTurn) })
    for (const group of groupCalls(ready)) {
      turn.signal.throwIfAborted()
      for (const outcome of await Promise.all(group.map((each) => runOne(turn, each)))) results.set(outcome.id, outcome)
    }
  } finally {
    turn.messages.push({ role: 'tool', results: step.calls.map((call) => results.get(call.id) ?? notRun(call)) })
  }
}

/** Neighbouring calls that may run side by side form one group. */
function groupCalls(calls: readonly Prepared[]): readonly (readonly Prepared[])[] {
  const groups: Prepared[][] = []
  let open = false
  for (const each of calls) {
    const parallel = !each.prepared.ready || each.prepared.parallel
    const group = groups.at(-1)
    if (parallel && open && group) group.push(each)
    else groups.push([each])
    open = parallel
  }
  return groups
}

async function runOne(turn: Turn, { call, prepared }: Prepared): Promise<ToolOutcome> {
  const run = (): Promise<ToolDone> => (prepared.ready ? runRecorded(turn, call, prepared) : record(turn, prepared.done))
  return (await runShown(turn, { call, prepared }, run)).outcome
}

/** All who watch hear of its start and of its end. */
async function runShown(turn: Turn, { call, prepared }: Prepared, run: () => Promise<ToolDone>): Promise<ToolDone> {
  // Who watches is told of the tool that runs, however the model called it.
  const { name } = prepared.meant ?? call
  turn.emit({ type: 'tool.start', id: call.id, name, args: prepared.args, preview: prepared.preview })
  const done = await run()
  const { outcome, data, durationMs, error } = done
  turn.emit({
    type: 'tool.complete',
    id: call.id,
    name,
    ok: outcome.ok,
    text: outcome.text,
    ...(data === undefined ? {} : { result: data }),
    durationMs,
    ...(error ? { error } : {}),
  })
  tellHooks(turn, name, { ok: outcome.ok, durationMs, error: error?.code ?? null })
  return done
}

/**
 * A call that a running tool makes. It is decided, shown and stopped like one of the model, and is no step of the turn: the tool that makes it
 * is one, and what became of that is unknown after a crash.
 */
async function runOther(turn: Turn, { name, args, signal }: OtherCall): Promise<ToolDone> {
  const call: CallPart = { type: 'call', id: newId('call'), name, args: JSON.stringify(args ?? {}) }
  // A person who is still asked when that tool has ended is not waited for.
  const asking = { clock: turn.clock, what: name }
  const prepared = await passCall(createCall(signal), asking, () => turn.toolbox.prepare(call, { ...turn.toolTurn, signal }, 'tool'))
  return runShown(turn, { call, prepared }, async () => {
    if (!prepared.ready) return prepared.done
    if (prepared.mayChangeFiles) await turn.checkpoint?.before()
    return runServed(turn, createCall(signal), (own) => prepared.run(own))
  })
}

/** What the tool asks of models meanwhile counts for this turn. */
const runServed = ({ book, payer }: Turn, call: Call, run: (call: Call) => Promise<ToolDone>): Promise<ToolDone> =>
  book.served.during(call, payer, () => run(call))

/** Nobody waits for those who watch. */
function tellHooks(
  { hooks, id: turn, session, request: { source } }: Turn,
  tool: string,
  end: Pick<HookEvents['tool.end'], 'ok' | 'durationMs' | 'error'>,
): void {
  if (hooks.has('tool.end')) void hooks.call('tool.end', { turn, session, source, tool, ...end })
}

/** The start is on disk before the tool runs, so that a crash cannot make it run twice. */
async function runRecorded(turn: Turn, call: CallPart, prepared: Extract<PreparedCall, { ready: true }>): Promise<ToolDone> {
  if (prepared.mayChangeFiles) await turn.checkpoint?.before()
  const { id, name, args } = prepared.meant ?? call
  await turn.recordStep({ type: 'tool.start', id, name, args })
  const run = (own: Call): Promise<ToolDone> => prepared.run(own, (other) => runOther(turn, other))
  return record(turn, await runServed(turn, createCall(turn.signal), run))
}

/** What stands before the words that a person adds while the agent works. The host alone writes it. */
export const steeringMark = '[The person you work for adds, while you work:]'

/**
 * What a call came to, also one that was refused: a turn that goes on after a crash tells the model the same. A mark that a tool gives back is
 * broken: what follows it are no words of the person.
 */
async function record(turn: Turn, done: ToolDone): Promise<ToolDone> {
  const text = done.outcome.text.replaceAll(steeringMark, `[ ${steeringMark.slice(1)}`)
  const kept = { ...done, outcome: { ...done.outcome, text } }
  await turn.recordStep({ type: 'tool.done', outcome: kept.outcome })
  return kept
}

function notRun(call: CallPart): ToolOutcome {
  return { id: call.id, name: call.name, ok: false, text: errors.INTERRUPTED.text() }
}

/** What the model is told of a call that a crash cut off. */
export function outcomeUnknown(call: { readonly id: string; readonly name: string }): ToolOutcome {
  return { id: call.id, name: call.name, ok: false, text: errors.TOOL_OUTCOME_UNKNOWN.text({ tool: call.name }) }
}
