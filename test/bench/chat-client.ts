import { Agent, request } from 'node:http'
import { fail } from '@agent/plugin-sdk/errors'

/** A client of chat completions that costs as little as it can: it keeps connections and counts bytes. */
export interface ChatClient extends Disposable {
  /** Milliseconds until the answer was over; rejects when it was not a sound one. */
  chat(base: string, text: string): Promise<number>
  /** The same, with the whole text of the response. */
  read(base: string, text: string): Promise<{ readonly ms: number; readonly body: string }>
}

export function createChatClient(): ChatClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const post = (base: string, text: string, onPiece: (piece: Buffer) => void): Promise<number> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const body = JSON.stringify({ model: 'bench', stream: true, messages: [{ role: 'user', content: text }] })
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const asked = request(`${base}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
        response.on('data', onPiece)
        response.once('error', reject)
        response.once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - startedAt)
          else reject(fail('INTERNAL', { detail: `${base} answered ${response.statusCode}` }))
        })
      })
      asked.once('error', reject)
      asked.end(body)
    })
  return {
    async chat(base, text) {
      let bytes = 0
      const ms = await post(base, text, (piece) => {
        bytes += piece.length
      })
      if (bytes === 0) throw fail('INTERNAL', { detail: `${base} answered nothing` })
      return ms
    },
    async read(base, text) {
      const pieces: Buffer[] = []
      const ms = await post(base, text, (piece) => pieces.push(piece))
      return { ms, body: Buffer.concat(pieces).toString() }
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

export interface ManyOptions {
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Ends after so many chats, or after so long; whichever comes first. */
  readonly count?: number
  readonly ms?: number
}

/** Chats, `concurrency` at a time; answers with how many they were and with chats per second. Every text is another one. */
export async function chatMany(client: ChatClient, base: string, options: ManyOptions): Promise<{ done: number; perSecond: number }> {
  const { count = Number.POSITIVE_INFINITY, ms = Number.POSITIVE_INFINITY, concurrency, signal } = options
  const startedAt = performance.now()
  let begun = 0
  const worker = async (): Promise<void> => {
    while (begun < count && performance.now() - startedAt < ms && !signal.aborted) {
      begun++
      await client.chat(base, `hello ${startedAt} ${begun}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  signal.throwIfAborted()
  return { done: begun, perSecond: begun / ((performance.now() - startedAt) / 1000) }
}
