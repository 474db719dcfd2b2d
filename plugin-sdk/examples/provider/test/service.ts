import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'

interface Asked {
  readonly model: string
  readonly tools: readonly { readonly name: string }[]
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`
const done = (reason: string): string => line({ done: { reason, input: 3, output: 2 } })

/** The Sample service in small, on loopback. */
export async function openService(key: string): Promise<FakeServer> {
  return await openFakeServer((request) => answer(request, key))
}

function answer({ headers, body }: HttpRequest, key: string): HttpReply {
  if (headers.authorization !== `Bearer ${key}`) return { status: 401 }
  const { model, tools } = JSON.parse(new TextDecoder().decode(body)) as Asked
  if (model === 'failing') return { status: 503 }
  if (model === 'endless') return { status: 200, body: repeat() }
  if (model === 'cut') return { status: 200, body: line({ text: 'Hel' }) }
  if (model !== 'calls') return { status: 200, body: line({ text: 'Hello.' }) + done('stop') }
  const calls = tools.map(({ name }, index) => line({ call: { id: `call_${index}`, name, arguments: '{}' } }))
  return { status: 200, body: calls.join('') + done('tool-calls') }
}

async function* repeat(): AsyncGenerator<string> {
  for (;;) {
    yield line({ text: 'again ' })
    await nextTurn()
  }
}
