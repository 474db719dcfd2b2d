import type { Disturbance, PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from './config.ts'
import { openCaller } from './testing/caller.ts'
import { openNumber, readWords, secretsWith } from './testing/whatsapp-world.ts'

const numberOf = (person: number): string => `1555200${String(person).padStart(4, '0')}`

/** Many people who write to a business number; what they write is offered until it is taken. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const server = await openNumber()
  const caller = openCaller<Readonly<Record<string, unknown>>>('/webhooks/whatsapp-cloud', async (url, message) => {
    server.listenAt(url)
    return (await server.call({ messages: [message] })).at(-1) === 200
  })
  let count = 0
  let last: Readonly<Record<string, unknown>> | undefined
  const acts: Readonly<Partial<Record<Disturbance, () => void>>> = {
    limit: () => server.breakNext({ type: 'error', status: 400, code: 131_056, message: 'Pair rate limit hit' }),
    error: () => server.breakNext({ type: 'status', status: 500 }),
    garbage: () => server.breakNext({ type: 'status', status: 200, body: '<html>' }),
    'lose-receipt': () => server.breakNext({ type: 'lose-answer' }),
    repeat: () => last && caller.offer(last),
  }
  return {
    config: config.parse({ base_url: server.url }),
    secrets: secretsWith('right-token'),
    listening: caller.listening,
    say: (person, text) => {
      count += 1
      last = { from: numberOf(person), id: `wamid.in${count}`, timestamp: '1700000000', type: 'text', text: { body: text } }
      caller.offer(last)
    },
    heard: (person) => server.messages.filter(({ to }) => to === numberOf(person)).map(readWords),
    isTaken: caller.isDone,
    connections: () => server.requests.filter((line) => line.startsWith('GET ') && line.includes('verified_name')).length,
    disturb: (what) => {
      acts[what]?.()
      return acts[what] !== undefined
    },
    calm: () => server.mend(),
    [Symbol.asyncDispose]: async () => {
      await caller.stop()
      await server[Symbol.asyncDispose]()
    },
  }
}
