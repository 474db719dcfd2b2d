import { type ModelMessage, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, isAgentError } from '@agent/plugin-sdk/errors'
import { noUsage } from '#agent/turn/ask-model.ts'
import { closeTurn } from '#agent/turn/run-turn.ts'
import { callsOf } from '#agent/turn/transcript.ts'
import type { ChatGround } from './chat-ground.ts'
import type { ChatJournal, LeftChat } from './chat-journal.ts'
import type { CutPrompt } from './kept-chat.ts'

type Ground = Pick<ChatGround, 'source'> & {
  readonly agent: Pick<ChatGround['agent'], 'clock' | 'log' | 'store' | 'turns'>
  readonly journal: ChatJournal
}

const mostMs = 60_000

/** Stores what a killed process had under way, as an interrupt would have. Nothing is asked again. Rejects never: what fails is tried at the next start. */
export async function recoverChats(ground: Ground, signal: AbortSignal): Promise<void> {
  const { log } = ground.agent
  try {
    for (const left of ground.journal.left())
      try {
        await recoverChat(ground, left, signal)
      } catch (error) {
        // A store that does not answer would be waited for once for each chat.
        if (signal.aborted || isAgentError(error, 'TIMED_OUT')) throw error
        log.error('what was said in a chat before a crash is not stored yet', { session: left.session, error: detailOf(error) })
      }
  } catch (error) {
    log.error('what was said before a crash is not stored yet', { error: detailOf(error) })
  }
}

async function recoverChat(ground: Ground, { session, prompts }: LeftChat, signal: AbortSignal): Promise<void> {
  const { agent, journal } = ground
  for (const prompt of prompts) {
    await withTimeLimit({ clock: agent.clock, signal, ms: mostMs, what: 'Storing an answer that was cut off' }, (limited) =>
      recover(ground, session, prompt, limited),
    )
    journal.settle(session, prompt.id)
  }
}

async function recover(ground: Ground, id: string, { id: prompt, before, input, said }: CutPrompt, signal: AbortSignal): Promise<void> {
  const { agent, source, journal } = ground
  const { sessions } = agent.store
  const stored = await sessions.find(id)
  // A start that is killed in here, or cannot settle it, must not store it again.
  if (before === undefined) journal.place(id, prompt, stored?.messages ?? 0)
  if (!stored) {
    // One that had messages was deleted since.
    if (!before) await agent.turns.keepCut({ input, source, canAnswer: false, beginAs: id }, said, signal)
    return
  }
  const gained = before === undefined ? [] : (await sessions.history(id)).slice(before)
  const last = gained.at(-1)
  if (last && isAnswer(last)) return
  const asked: readonly ModelMessage[] = last ? [] : [{ role: 'user', parts: input }]
  const rest = last && textOf(last) === said ? '' : said
  const messages = [...asked, ...closeTurn([], 'interrupted', rest)]
  await sessions.commit({ session: { id }, messages, usage: noUsage, calls: 0, at: agent.clock.now() })
}

/** The turn is over in the store. */
function isAnswer(message: ModelMessage): boolean {
  return message.role === 'assistant' && callsOf(message).length === 0
}

function textOf(message: ModelMessage): string {
  return message.role === 'assistant' ? message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
}
