import type { Transport } from '@modelcontextprotocol/server'
import { readLines } from '#gateway/control/read-lines.ts'
import { showJson } from '#observe/printable.ts'
import type { Cli } from '../../console/cli.ts'

type Message = Parameters<Transport['send']>[0]

const mostBytes = 4 * 1024 * 1024

/** A line of JSON for each message, on standard input and output. One that is too long, or no JSON, ends it. */
export function createLinesTransport({ input, write }: Pick<Cli, 'input' | 'write'>): Transport {
  let over = false
  const end = (): void => {
    if (over) return
    over = true
    transport.onclose?.()
  }
  const transport: Transport = {
    async start() {
      void read().catch((error: unknown) => {
        if (!over) transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
        end()
      })
    },
    // A program that reads it takes escapes for what they stand for, and a terminal is not steered by them.
    send: async (message) => write(`${showJson(JSON.stringify(message))}\n`),
    async close() {
      input.destroy()
      end()
    },
  }
  const read = async (): Promise<void> => {
    for await (const line of readLines(bytesOf(input), mostBytes))
      if (line.trim() !== '') transport.onmessage?.(JSON.parse(line) as Message)
    end()
  }
  return transport
}

async function* bytesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  for await (const chunk of input) yield Buffer.from(chunk)
}
