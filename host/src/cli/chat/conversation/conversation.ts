import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { AskedMore, ParsedSlash, ReasoningSetting } from '#commands/slash.ts'
import { findSlash } from '#commands/slash-table.ts'
import type { TypedEntry } from '../input/draft.ts'
import { createDoor } from './door.ts'
import { createQuestions, type TurnQuestion } from './questions.ts'
import { runBeside, runTurn } from './run-turn.ts'
import type { ConversationOptions, TalkState } from './talk.ts'

export interface Talk {
  /** Takes these one after the other. */
  start(entries: readonly TypedEntry[]): void
  /** Takes an entry: now, or when what runs is over. */
  enter(entry: TypedEntry): void
  /** Stops the turn and the commands that run; false where nothing does. */
  interrupt(): boolean
  isBusy(): boolean
  queue(): readonly TypedEntry[]
  /** Takes the entry back that was sent last and waits. */
  recall(): TypedEntry | undefined
  /** What the agent works on beside the conversation. */
  background(): readonly string[]
  question(): TurnQuestion | undefined
  /** Milliseconds until the question is over. */
  questionLeft(): number
  answer(question: TurnQuestion, value: string): Promise<boolean>
  /** What shows reasoning. */
  reasoning(): ReasoningSetting
  /** Something was said in it that can be gone on with. */
  hasSession(): boolean
  /** Stops what runs, and resolves when it is over. */
  close(): Promise<void>
}

export function createConversation(options: ConversationOptions): Talk {
  const { agent, audience, session } = options
  const { config } = agent.loaded
  const talk: TalkState = {
    options,
    questions: createQuestions({
      clock: agent.clock,
      timeoutMs: () => agent.loaded.config.approvals.timeout * 1000,
      onExpired: ({ type }) =>
        audience.note(type === 'approval.request' ? 'Nobody answered in time: it was not allowed.' : 'Nobody answered in time.'),
      onChange: audience.changed,
    }),
    session,
    sessionId: session && 'id' in session ? session.id : undefined,
    title: undefined,
    wish: options.wish,
    reasoning: { effort: undefined, show: config.display.show_reasoning },
    nearTold: undefined,
    turn: undefined,
    commands: new Set(),
    background: new Map(),
    busy: undefined,
    queue: [],
    isOver: false,
  }
  return {
    start: (entries) => {
      const [first, ...others] = entries
      talk.queue = others
      if (first) begin(talk, first)
    },
    enter: (entry) => enter(talk, entry),
    interrupt: () => interrupt(talk),
    isBusy: () => talk.busy !== undefined,
    queue: () => talk.queue,
    recall: () => {
      const last = talk.queue.pop()
      if (last) audience.changed()
      return last
    },
    background: () => [...talk.background.values()],
    question: talk.questions.first,
    questionLeft: talk.questions.left,
    answer: async ({ id }, value) => {
      talk.questions.close(id)
      return agent.turns.answer(id, value)
    },
    hasSession: () => talk.sessionId !== undefined,
    reasoning: () => talk.reasoning,
    close: async () => {
      talk.isOver = true
      talk.queue = []
      stopAll(talk)
      for (let open = talk.questions.first(); open; open = talk.questions.first()) talk.questions.close(open.id)
      await talk.busy
    },
  }
}

/** Aborts what runs in the foreground. */
export function interrupt({ turn, commands }: TalkState): boolean {
  const running = [...commands, ...(turn ? [turn] : [])]
  for (const each of running) each.abort(fail('INTERRUPTED'))
  return running.length > 0
}

/** Aborts what runs beside the conversation, too. */
function stopAll(talk: TalkState): boolean {
  const beside = [...talk.background.keys()]
  for (const each of beside) each.abort(fail('INTERRUPTED'))
  return interrupt(talk) || beside.length > 0
}

/** Who says no more than the word that leaves a shell wants to leave. */
const leaving = /^(?:exit|quit)$/i

function parse({ options }: TalkState, text: string): ParsedSlash | undefined {
  const words = text.trim()
  return findSlash(options.agent, leaving.test(words) ? `/${words.toLowerCase()}` : text, 'cli')
}

function enter(talk: TalkState, entry: TypedEntry): void {
  if (talk.isOver || entry.text.trim() === '') return
  const { options } = talk
  const { audience } = options
  if (!talk.busy) {
    begin(talk, entry)
    return
  }
  const parsed = parse(talk, entry.text)
  if (parsed && (options.canAnswer ? !parsed.command.asks : parsed.command.name === 'stop')) {
    audience.begins(entry)
    void settle(talk, runCommand(talk, parsed))
    return
  }
  talk.queue.push(entry)
  if (options.canAnswer && options.agent.loaded.config.display.busy_input_mode === 'interrupt') talk.turn?.abort(fail('INTERRUPTED'))
  audience.changed()
}

function begin(talk: TalkState, entry: TypedEntry): void {
  const { audience } = talk.options
  audience.begins(entry)
  // It counts as busy before the first thing that it does is told.
  talk.busy = Promise.resolve()
  talk.busy = settle(talk, handle(talk, entry)).then(() => {
    talk.busy = undefined
    const next = talk.isOver ? undefined : talk.queue.shift()
    if (next) begin(talk, next)
    audience.changed()
  })
  audience.changed()
}

/** What fails is told. */
async function settle({ options }: TalkState, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isAgentError(error)) throw error
    options.audience.complain(error.message)
  }
}

async function handle(talk: TalkState, entry: TypedEntry): Promise<void> {
  const parsed = parse(talk, entry.text)
  if (parsed) await runCommand(talk, parsed)
  else await runTurn(talk, { text: entry.text }, () => takeAdded(talk))
}

/** What was said to the turn that runs, up to the next command; it is not said again when the turn is over. */
function takeAdded(talk: TalkState): readonly string[] {
  if (talk.options.agent.loaded.config.display.busy_input_mode !== 'steer') return []
  const end = talk.queue.findIndex(({ text }) => parse(talk, text) !== undefined)
  const added = talk.queue.splice(0, end < 0 ? talk.queue.length : end)
  for (const entry of added) talk.options.audience.begins(entry)
  return added.map(({ text }) => text)
}

async function runCommand(talk: TalkState, { command, args }: ParsedSlash): Promise<void> {
  const asked: (AskedMore & { readonly text: string })[] = []
  const door = createDoor(talk, {
    ask: (text, more) => void asked.push({ text, ...more }),
    interrupt: () => stopAll(talk),
    startBackground: (prompt) => void settle(talk, runBeside(talk, prompt)),
  })
  await command.run({ args, door, services: talk.options.services })
  for (const each of asked) await runTurn(talk, each, () => takeAdded(talk))
}
