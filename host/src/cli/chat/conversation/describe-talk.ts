import { homedir } from 'node:os'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import { shortenHome } from '#tools/shell/expand-home.ts'
import { chosenNow } from './open-chat.ts'
import type { TalkState } from './talk.ts'

/** What goes on in a conversation at the terminal, and where. */
export async function describeTalk({ options, wish, sessionId, turn, queue, background }: TalkState): Promise<string> {
  const { agent, folder } = options
  const model = chosenNow(agent, wish)
  const session = sessionId === undefined ? undefined : await agent.store.sessions.find(sessionId)
  const name = session ? `the session ${session.title ? `"${session.title}" (${session.id})` : session.id}` : 'a new session'
  const beside = [...background.values()]
  const lines = [
    `${model ? `${model.provider}/${model.model} answers` : 'No model is configured'} in ${name}, in ${shortenHome(folder, homedir())}.`,
    describeSandbox(await agent.sandbox.level(), agent.loaded.config.terminal.sandbox),
    ...(session?.context ? await sayLength(agent, session.context) : []),
    turn ? 'I work on what you said last.' : 'Nothing is going on here.',
    ...(queue.length > 0 ? [`${queue.length} of your messages ${queue.length === 1 ? 'waits' : 'wait'}.`] : []),
    ...beside.map((prompt) => `In the background I work on: ${prompt}`),
  ]
  return lines.join('\n')
}

async function sayLength({ length }: TalkState['options']['agent'], tokens: number): Promise<readonly string[]> {
  const now = await length.now()
  return now ? [`The conversation fills ${Math.round((tokens / now.window) * 100)} % of what the model takes.`] : []
}
