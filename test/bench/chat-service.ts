import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** A messaging service on loopback that bots poll, as small as one can be. */
export interface ChatService extends AsyncDisposable {
  readonly url: string
  /** How many bots wait for something now. */
  waiting(): number
  /** Somebody says something to a bot; resolves with the milliseconds until the answer. */
  ask(bot: string, conversation: string, words: string): Promise<number>
}

interface Update {
  readonly id: number
  readonly conversation: string
  readonly text: string
}

export async function startChatService(): Promise<ChatService> {
  const updates = new Map<string, Update[]>()
  const polls = new Map<string, ServerResponse>()
  const answered = new Map<string, () => void>()
  let lastId = 0
  const flush = (bot: string): void => {
    const waiting = updates.get(bot) ?? []
    const poll = polls.get(bot)
    if (!poll || waiting.length === 0) return
    polls.delete(bot)
    poll.setHeader('content-type', 'application/json').end(JSON.stringify(waiting))
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, bot = '', verb = '', after = '0'] = (request.url ?? '').split('/')
    if (verb === 'updates') {
      updates.set(
        bot,
        (updates.get(bot) ?? []).filter(({ id }) => id > Number(after)),
      )
      response.once('close', () => polls.get(bot) === response && polls.delete(bot))
      polls.set(bot, response)
      return flush(bot)
    }
    const { conversation } = JSON.parse(await text(request)) as { conversation: string }
    answered.get(`${bot}/${conversation}`)?.()
    lastId += 1
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: lastId }))
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    waiting: () => polls.size,
    ask: (bot, conversation, words) =>
      new Promise((resolve) => {
        const startedAt = performance.now()
        answered.set(`${bot}/${conversation}`, () => resolve(performance.now() - startedAt))
        lastId += 1
        updates.set(bot, [...(updates.get(bot) ?? []), { id: lastId, conversation, text: words }])
        flush(bot)
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
