import { randomUUID } from 'node:crypto'
import { type Clock, isOverWithin } from '@agent/plugin-sdk'
import { type AnswerOptions, answerCalls } from './answer-calls.ts'
import { linesOf } from './lines-of.ts'
import { readMarked } from './marked-output.ts'
import { drainMs, type Exit, type InterpreterStart, startInterpreter } from './start-interpreter.ts'

/** An interpreter that runs one script after the other and keeps what they leave. */
export interface Interpreter {
  run(script: Script, limit: Limit): Promise<Ran>
  readonly ended: Promise<Exit>
  /** Whether it may run another script. */
  isSound(): boolean
  /** Ends it with all that it has started. */
  kill(): void
}

export interface Script {
  readonly code: string
  readonly calls: AnswerOptions
}

export interface Limit {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly ms: number
}

/** What came of a script. */
export interface Ran {
  /** Absent where the script did not end within its limit; its interpreter was ended then. */
  readonly exit?: Exit
  /** The interpreter is over. */
  readonly isOver: boolean
  /** The script has begun. */
  readonly hasBegun: boolean
  readonly output: string
  readonly errors: string
  readonly made: number
}

/** A script that has failed and waits for nothing ends well within this. */
const failedMs = 1000
const mostOutput = 50_000
const mostErrors = 10_000

export function openInterpreter(start: InterpreterStart, clock: Clock): Interpreter {
  const { link, orders, ended, kill, ...streams } = startInterpreter(start, clock)
  const output = readMarked(streams.output, mostOutput)
  const errors = readMarked(streams.errors, mostErrors)
  const calls = answerCalls(link)
  let isOver = false
  let current: { readonly done: Promise<Exit>; readonly onDone: (exit: Exit) => void; hasFailed: boolean } | undefined
  const leave = (): void => {
    isOver = true
  }
  ended.then(leave, leave)

  async function follow(): Promise<void> {
    for await (const line of linesOf(orders)) {
      const told = readTold(line)
      if (told.code !== undefined) current?.onDone({ code: told.code, signal: null })
      else if (current) endFailed(current)
    }
  }
  // It says nothing but this; what says more is none.
  follow().catch(kill)

  /** A script that has failed may have work left that never ends: it holds up nobody. */
  function endFailed(failed: NonNullable<typeof current>): void {
    failed.hasFailed = true
    void isOverWithin({ clock, ms: failedMs }, failed.done).then((isDone) => isDone || kill())
  }

  async function run({ code, calls: allowed }: Script, { signal, ms }: Limit): Promise<Ran> {
    const marks = { begin: `\0${randomUUID()}\0`, end: `\0${randomUUID()}\0` }
    const said = [output.expect(marks), errors.expect(marks)] as const
    const answering = calls.begin(allowed)
    const own = { ...createDone(), hasFailed: false }
    current = own
    orders.write(`${JSON.stringify({ code, folder: start.folder, ...marks })}\n`)
    const exit = Promise.race([own.done, ended])
    const isInTime = await isOverWithin({ clock, signal, ms }, exit)
    answering.end()
    if (!isInTime) kill()
    await (isInTime && !isOver ? isOverWithin({ clock, ms: drainMs }, Promise.all([...said.map(({ whole }) => whole)])) : ended)
    const hasBegun = said.some((each) => each.hasBegun())
    const [printed, problems] = said.map((each) => each.close())
    const more = { isOver, hasBegun, output: printed ?? '', errors: problems ?? '', made: answering.made() }
    if (!isInTime) return more
    return { exit: own.hasFailed ? { code: 1, signal: null } : await exit, ...more }
  }
  return { run, ended, kill, isSound: () => !isOver && !link.destroyed }
}

function createDone() {
  let onDone: (exit: Exit) => void = () => undefined
  const done = new Promise<Exit>((resolve) => {
    onDone = resolve
  })
  return { done, onDone }
}

/** How a script has ended; without a code it has failed, and may have something left to do. */
function readTold(line: string): { readonly code: number | undefined } {
  const { code } = JSON.parse(line) as { readonly code?: unknown }
  return { code: typeof code === 'number' ? code : undefined }
}
