import { type ModelMessage, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { noUsage } from '#agent/turn/ask-model.ts'
import { closeTurn } from '#agent/turn/run-turn.ts'
import { callsOf } from '#agent/turn/transcript.ts'
import type { ChatGround } from './chat-ground.ts'
import type { ChatJournal } from './chat-journal.ts'
import type { CutPrompt } from './kept-chat.ts'

type Ground = Pick<ChatGround, 'source'> & {
  readonly agent: Pick<ChatGround['agent'], 'clock' | 'log' | 'store' | 'turns'>
  readonly journal: ChatJournal
}

const mostMs = 60_000

/** Stores what a killed process had under way, as an interrupt would have. Nothing is asked again. Rejects never: what fails is tried at the next start. */
export async function recoverChats(ground: Ground, signal: AbortSignal): Promise<void> {
  const { agent, journal } = ground
  const { clock, log } = agent
  try {
    for (const { session, prompts } of journal.left())
      for (const prompt of prompts) {
        await withTimeLimit({ clock, signal, ms: mostMs, what: 'Storing an answer that was cut off' }, (limited) =>
          recover(ground, session, prompt, limited),
        )
        journal.settle(session, prompt.id)
      }
  } catch (error) {
    log.error('what was said before a crash is not stored yet', { error: detailOf(error) })
  }
}

async function recover({ agent, source }: Ground, id: string, { before, input, said }: CutPrompt, signal: AbortSignal): Promise<void> {
  const { sessions } = agent.store
  const stored = await sessions.find(id)
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
