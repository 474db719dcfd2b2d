import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SessionRef, TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { OpenAgent } from '#agent/open-agent.ts'
import { type ParsedSlash, parseSlash, type ReasoningSetting, type SlashDoor, type SlashServices } from '#commands/slash.ts'
import { allCommands, offeredCommands } from '#commands/slash-table.ts'
import { createCall } from '#kernel/calls/call.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import { type Cli, paint } from '../console/cli.ts'
import { createSlashServices } from '../home/slash-services.ts'
import { formatQuestion, parseAnswer } from './ask-person.ts'
import type { ChatOptions } from './chat-options.ts'
import { type LineInput, openLineInput } from './line-input.ts'
import { chosenNow, findChatSession, openChat, readWish, type Wish } from './open-chat.ts'
import { createRenderer, type Renderer } from './render.ts'

type Question = Extract<TurnEvent, { type: 'approval.request' | 'clarify.request' }>

/** What the conversation at this terminal is at; one object, changed in one place each. */
interface Chat {
  readonly cli: Cli
  readonly agent: OpenAgent
  readonly wish: Wish
  readonly renderer: Renderer
  readonly services: SlashServices
  session: SessionRef | undefined
  sessionId: string | undefined
  title: string | undefined
  reasoning: ReasoningSetting
  /** Aborts the turn that runs, or the command of a plugin. */
  running: AbortController | undefined
  /** What the turn that runs wants to know. */
  question: Question | undefined
  /** Entries that were typed while a turn ran. */
  readonly waiting: string[]
  /** Ctrl-C was pressed with nothing running; another one leaves. */
  leaving: boolean
  /** Nothing more is read. */
  isOver: boolean
}

const prompts = { ask: '› ', answer: '? ' } as const

/** Talks until the person leaves. */
export async function runRepl(cli: Cli, first: string, options: ChatOptions): Promise<void> {
  const agent = await openChat(cli, options)
  try {
    const chat = await openConversation(cli, agent, options)
    await new Promise<void>((resolve) => listen(chat, first, resolve))
  } finally {
    await agent.close()
  }
}

async function openConversation(cli: Cli, agent: OpenAgent, options: ChatOptions): Promise<Chat> {
  const session = await findChatSession(cli, agent, options)
  const { config } = agent.loaded
  const chat: Chat = {
    cli,
    agent,
    wish: await readWish(agent, options),
    renderer: createRenderer(cli, { showReasoning: () => chat.reasoning.show }),
    services: createSlashServices(cli, agent),
    session,
    sessionId: session && 'id' in session ? session.id : undefined,
    title: undefined,
    reasoning: { effort: undefined, show: config.display.show_reasoning },
    running: undefined,
    question: undefined,
    waiting: [],
    leaving: false,
    isOver: false,
  }
  const level = cli.terminal && config.terminal.sandbox !== 'off' ? await agent.sandbox.level() : undefined
  if (level?.works === false) cli.out(paint(cli, 'dim', describeSandbox(level, config.terminal.sandbox)))
  if (cli.terminal) cli.out(paint(cli, 'dim', await describeStart(chat, options)))
  return chat
}

/** Who answers, what is gone on with and where tools work, then the keys. */
async function describeStart({ cli, agent, services, session }: Chat, options: ChatOptions): Promise<string> {
  const model = chosenNow(agent, options)
  const found = session && 'id' in session ? await agent.store.sessions.find(session.id) : undefined
  const place = cli.cwd.replace(homedir(), '~')
  const about = [
    `agent ${services.version}`,
    model ? `${model.provider}/${model.model}` : 'no model is configured',
    found ? `goes on with ${found.title ? `"${found.title}"` : found.id}` : 'new session',
    place,
  ]
  return `${about.join(' · ')}\n/help lists the commands, Ctrl-C interrupts, /exit leaves.`
}

function listen(chat: Chat, first: string, done: () => void): void {
  let input: LineInput | undefined
  let ended = false
  let busy = false
  const notices: string[] = []
  const tellNotices = (): void => {
    for (const text of notices.splice(0)) chat.cli.note(paint(chat.cli, 'dim', text))
  }
  const deaf = chat.agent.onNotice(({ text }) => {
    notices.push(text)
    if (busy) return
    if (chat.cli.terminal) chat.cli.write('\n')
    tellNotices()
    input?.show(prompts.ask)
  })
  const leave = (): void => {
    deaf()
    input?.close()
    done()
  }
  const next = (): void => {
    tellNotices()
    const isOver = chat.isOver || chat.cli.signal.aborted
    const entry = isOver ? undefined : chat.waiting.shift()
    if (entry !== undefined) void handle(entry)
    else if (isOver || ended) leave()
    else input?.show(prompts.ask)
  }
  const handle = async (entry: string): Promise<void> => {
    busy = true
    try {
      await takeEntry(
        chat,
        entry,
        () => input?.show(prompts.answer),
        () => input?.hide(),
      )
    } catch (error) {
      if (!isAgentError(error)) throw error
      chat.cli.note(paint(chat.cli, 'red', error.message))
      if (!chat.cli.terminal) chat.cli.exit(1)
    } finally {
      busy = false
    }
    next()
  }
  input = openLineInput({
    cli: chat.cli,
    history: join(chat.agent.home.files.cache, 'chat-history'),
    complete: (line) => completeCommand(chat, line),
    onEntry: (entry) => {
      if (answerQuestion(chat, entry)) return
      if (chat.running && isStop(chat, entry)) chat.running.abort(fail('INTERRUPTED'))
      else if (busy) chat.waiting.push(entry)
      else void handle(entry)
    },
    onInterrupt: () => {
      if (interrupt(chat)) leave()
      else if (!chat.running) input?.show(prompts.ask)
    },
    onEnd: () => {
      ended = true
      if (!busy) leave()
    },
  })
  chat.cli.signal.addEventListener('abort', () => {
    if (chat.running) chat.running.abort(fail('INTERRUPTED'))
    else leave()
  })
  if (first === '') next()
  else void handle(first)
}

function parse({ agent }: Chat, entry: string): ParsedSlash | undefined {
  return parseSlash(entry, allCommands(agent.catalog), 'cli')
}

function completeCommand({ agent }: Chat, line: string): readonly string[] {
  const names = offeredCommands(agent.catalog, 'cli').map(({ name }) => `/${name} `)
  return line.startsWith('/') ? names.filter((name) => name.startsWith(line)) : []
}

/** The one command that does not wait until the turn is over. */
function isStop(chat: Chat, entry: string): boolean {
  return parse(chat, entry)?.command.name === 'stop'
}

/** Ctrl-C: stops a turn; with nothing running, the second one in a row leaves, which true says. */
function interrupt(chat: Chat): boolean {
  chat.running?.abort(fail('INTERRUPTED'))
  if (chat.running) return false
  if (chat.leaving) return true
  chat.leaving = true
  chat.cli.out('\nCtrl-C again, or Ctrl-D, leaves.')
  return false
}

async function takeEntry(chat: Chat, entry: string, showAnswer: () => void, hide: () => void): Promise<void> {
  chat.leaving = false
  if (entry.trim() === '') return
  const parsed = parse(chat, entry)
  const ask = async (text: string): Promise<void> => {
    hide()
    await runTurn(chat, text, showAnswer)
  }
  if (parsed) return parsed.command.run({ args: parsed.args, door: createDoor(chat, ask), services: chat.services })
  await ask(entry)
}

async function runTurn(chat: Chat, text: string, showAnswer: () => void): Promise<void> {
  const request: TurnRequest = {
    input: [{ type: 'text', text }],
    source: 'cli',
    canAnswer: chat.cli.terminal,
    ...chat.wish,
    ...(chat.session ? { session: chat.session } : {}),
    ...(chat.reasoning.effort ? { reasoning: chat.reasoning.effort } : {}),
  }
  await interruptible(chat, async (signal) => {
    for await (const event of chat.agent.turns.run(request, createCall(signal))) await showEvent(chat, event, showAnswer)
  })
}

/** Ctrl-C and `/stop` end it. */
async function interruptible<T>(chat: Chat, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  chat.running = new AbortController()
  try {
    return await work(chat.running.signal)
  } finally {
    chat.running = undefined
    chat.question = undefined
  }
}

async function showEvent(chat: Chat, event: TurnEvent, showAnswer: () => void): Promise<void> {
  if (event.type === 'message.start') {
    chat.sessionId = event.session
    chat.session = { id: event.session }
  }
  if (event.type === 'approval.request' || event.type === 'clarify.request') {
    chat.question = event
    chat.cli.out(formatQuestion(chat.cli, event))
    return showAnswer()
  }
  chat.renderer.show(event)
  if (event.type !== 'message.complete') return
  if (event.status === 'failed' && !chat.cli.terminal) chat.cli.exit(1)
  await settleSession(chat, event.status === 'failed')
}

/** A first turn that failed leaves no session behind; a title that was given early is set now. */
async function settleSession(chat: Chat, failed: boolean): Promise<void> {
  const id = chat.sessionId
  const { sessions } = chat.agent.store
  if (id === undefined) return
  if (failed && !(await sessions.find(id))) {
    chat.session = undefined
    chat.sessionId = undefined
    return
  }
  if (chat.title === undefined) return
  const title = await sessions.rename(id, await sessions.nextTitle(chat.title))
  if (title !== chat.title) chat.cli.out(`That title is taken; this session is called "${title}".`)
  chat.title = undefined
}

/** True when the entry was taken as an answer to what the turn asked. */
function answerQuestion(chat: Chat, entry: string): boolean {
  const { question } = chat
  if (!question) return false
  const answer = parseAnswer(question, entry)
  if (answer === undefined) {
    chat.cli.out(formatQuestion(chat.cli, question))
    return true
  }
  chat.question = undefined
  void chat.agent.turns.answer(question.id, answer)
  return true
}

function createDoor(chat: Chat, ask: SlashDoor['ask']): SlashDoor {
  return {
    surface: 'cli',
    say: chat.cli.out,
    session: () => chat.sessionId,
    startNew: async (title) => {
      if (chat.sessionId !== undefined) await chat.agent.store.sessions.end(chat.sessionId, 'new')
      chat.session = undefined
      chat.sessionId = undefined
      chat.title = title
    },
    interrupt: () => {
      chat.running?.abort(fail('INTERRUPTED'))
      return chat.running !== undefined
    },
    keepTitle: (title) => {
      chat.title = title
      return true
    },
    reasoning: () => chat.reasoning,
    setReasoning: (setting) => (chat.reasoning = setting),
    ask,
    run: (_command, work) => interruptible(chat, work),
    leave: () => {
      chat.isOver = true
    },
  }
}
