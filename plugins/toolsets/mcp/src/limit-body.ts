import type { Context } from '@agent/plugin-sdk'
import { longestLine } from './read-lines.ts'

/** A stream of events goes on for as long as the server is used. */
const mostOfStream = 256 * 1024 * 1024

/** The same `fetch`, which reads no more of an answer than anybody needs. */
export function limitBody(fetch: Context['fetch'], name: string): Context['fetch'] {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const most = response.headers.get('content-type')?.includes('text/event-stream') ? mostOfStream : longestLine
    let size = 0
    const limited = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        size += bytes.length
        if (size > most) controller.error(new Error(`The MCP server ${name} sent more than ${most / 1024 / 1024} MiB.`))
        else controller.enqueue(bytes)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limited), { status, statusText, headers })
  }
}
