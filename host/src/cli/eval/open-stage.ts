import { type TurnEvent, withTimeLimit } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { OpenAgent } from '#agent/open-agent.ts'
import { joinRows } from '#commands/say-rows.ts'
import { findSlash } from '#commands/slash-table.ts'
import type { SeenTurn } from '#eval/judge-turn.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'
import { createConversation, type Talk } from '../chat/conversation/conversation.ts'
import type { Audience } from '../chat/conversation/talk.ts'
import type { Cli } from '../console/cli.ts'

/** A turn as it went. */
export interface HeardTurn extends SeenTurn {
  /** What kept it from its end, a sentence each. */
  readonly problems: readonly string[]
  /** `provider/model` that answered. */
  readonly model: string
}

export interface TalkStageOptions {
  readonly cli: Pick<Cli, 'installRoot' | 'environment' | 'signal'>
  readonly wish: { readonly provider?: string; readonly model?: string }
}

export interface TimeOfTurn {
  readonly seconds: number
  /** What is wrong where it takes longer; it is stopped then. */
  readonly late: string
}

export interface TalkStage {
  /** Says this, and answers when everything that came of it is over. Rejects where all is stopped. */
  say(text: string, limit: TimeOfTurn): Promise<HeardTurn>
  close(): Promise<void>
}

type Hearing = { -readonly [Key in keyof HeardTurn]: HeardTurn[Key] extends readonly (infer Each)[] ? Each[] : HeardTurn[Key] }

const silence = (): Hearing => ({ answer: '', calls: [], seconds: 0, tokens: 0, problems: [], model: '' })

/** A conversation as at a terminal, whose questions are answered by what is written down. */
export function openStage(
  agent: OpenAgent,
  { cli, wish, folder, approves }: TalkStageOptions & { readonly folder: string; readonly approves: boolean },
): TalkStage {
  let heard = silence()
  let look = (): void => undefined
  const audience = createAudience(() => heard, {
    ask: (question) => void talk.answer(question, question.type === 'clarify.request' ? nobody : approves ? 'once' : 'deny'),
    changed: () => look(),
  })
  const services = createSlashServices({ ...cli, profile: undefined, note: () => undefined }, agent)
  const talk: Talk = createConversation({ agent, services, wish, session: undefined, folder, canAnswer: true, audience })
  const settled = (over: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (over.aborted || !(talk.isBusy() || talk.background().length > 0)) resolve()
      }
      over.addEventListener('abort', look, { once: true })
      look()
    })
  return {
    async say(text, { seconds, late }) {
      heard = silence()
      const began = agent.clock.now()
      talk.enter({ text, shown: text })
      try {
        await withTimeLimit({ clock: agent.clock, signal: cli.signal, ms: seconds * 1000, what: 'The turn' }, settled)
      } catch (error) {
        if (cli.signal.aborted || !isAgentError(error)) throw error
        heard.problems.push(late)
      }
      // A slip of the fingers is answered by a sentence, and nothing that was to be tried has happened.
      if (isNoCommand(agent, text)) heard.problems.push(heard.answer)
      return { ...heard, seconds: (agent.clock.now() - began) / 1000 }
    },
    close: () => talk.close(),
  }
}

function isNoCommand(agent: OpenAgent, text: string): boolean {
  const parsed = findSlash(agent, text, 'cli')
  return parsed !== undefined && parsed.command.surfaces.length === 0
}

const nobody = 'Nobody is here to answer. Decide yourself.'

function createAudience(now: () => Hearing, { ask, changed }: Pick<Audience, 'ask' | 'changed'>): Audience {
  const say = (text: string): void => {
    const heard = now()
    heard.answer += heard.answer === '' ? text : `\n${text}`
  }
  return {
    begins: () => undefined,
    hear: (event) => {
      if (event.type === 'message.complete') say(event.text)
      takeDown(now(), event)
    },
    ask,
    say,
    sayRows: (rows) => say(joinRows(rows)),
    report: say,
    note: () => undefined,
    complain: (text) => void now().problems.push(text),
    changed,
    leave: () => undefined,
  }
}

function takeDown(heard: Hearing, event: TurnEvent): void {
  if (event.type === 'message.start') heard.model = `${event.provider}/${event.model}`
  if (event.type === 'tool.start') heard.calls.push({ name: event.name, args: event.args })
  if (event.type === 'usage') heard.tokens += event.usage.input + event.usage.output
  if (event.type === 'error') heard.problems.push(event.text)
  if (event.type !== 'message.complete') return
  if (event.status === 'max-iterations') heard.problems.push('the agent took all of its steps and was not done')
  if (event.status === 'length') heard.problems.push('the answer was cut because it was too long')
}
