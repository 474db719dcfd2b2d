import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const head = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"hostile","choices":[{"index":0,"delta":'
const event = (delta: object, finish: string | null): string =>
  `data: ${head}${JSON.stringify(delta)},"finish_reason":${JSON.stringify(finish)}}]}\n\n`
const ending = `${event({}, 'stop')}data: [DONE]\n\n`
const big = Buffer.from(event({ content: `${'words '.repeat(2_700)}\n` }, null))
const bigText = 16_200

/** A model of which a request asks by its last words: `flow 20 40` is twenty pieces with 40 ms between them, `size 12` are 12 MB, `size 12 20` the same with 20 ms after each 16 KB, anything else is said back. */
export async function runModel(): Promise<boolean> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event({ role: 'assistant', content: '' }, null))
      void answer(response, wishOf(Buffer.concat(pieces))).catch(() => response.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
  process.once('disconnect', () => process.exit())
  await once(process, 'disconnect')
  return true
}

/** Only the end of a body is looked at: the model is not what is tried, and must not hold anybody up. */
function wishOf(body: Buffer): string {
  if (body.length > 1_500_000) return 'It is too long for me.'
  const { messages } = JSON.parse(body.toString()) as { messages: readonly { role: string; content: unknown }[] }
  const last = messages.findLast(({ role }) => role === 'user')?.content
  return typeof last === 'string' ? last : JSON.stringify(last ?? '')
}

async function answer(response: ServerResponse, wish: string): Promise<void> {
  const [, kind, count = '0', pause = '0'] = /\b(flow|size) (\d+)(?: (\d+))?/.exec(wish) ?? []
  if (kind === 'flow') {
    for (let piece = 0; piece < Number(count) && !response.destroyed; piece++) {
      response.write(event({ content: `piece ${piece} ` }, null))
      await new Promise((resolve) => setTimeout(resolve, Number(pause)))
    }
  } else if (kind === 'size') {
    for (let sent = 0; sent < Number(count) * 1e6 && !response.destroyed; sent += bigText) {
      if (!response.write(big)) await drained(response)
      if (Number(pause) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pause)))
    }
  } else response.write(event({ content: wish }, null))
  response.end(ending)
}

/** Resolves when what was written is taken, or the reader has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.once('drain', go).once('close', go)
  })
}
