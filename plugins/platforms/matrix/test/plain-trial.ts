import { setTimeout as pause } from 'node:timers/promises'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import type { ServerTrial } from '../../../../test/support/servers/server-trials.ts'
import { formatPath } from '../src/api.ts'
import { openSynapseWithAnn } from './synapse-client.ts'

const messages = 12
const everyMs = 5000
const withinMs = 10_000

interface Event {
  readonly type: string
  readonly sender: string
  readonly content: { readonly body?: string; readonly 'm.relates_to'?: object }
}

/** One message every five seconds for a minute in a direct room, on the limits that Synapse comes with. */
export async function openPlainTrial(tree: DebianTree): Promise<ServerTrial> {
  const { bot, client, environment, close } = await openSynapseWithAnn(tree)
  return {
    what: `a message each ${everyMs / 1000} s on Synapse's own limits`,
    config: {},
    environment,
    async talk() {
      const room = await client.openRoomWith(bot)
      const events = async (): Promise<readonly Event[]> =>
        ((await client.ask('GET', `${formatPath('rooms', room, 'messages')}?dir=b&limit=200`)) as { readonly chunk: readonly Event[] })
          .chunk
      const waits = await Promise.all(
        Array.from({ length: messages }, async (_, number) => {
          await pause(number * everyMs)
          const text = `message ${number}.`
          await client.ask('PUT', formatPath('rooms', room, 'send', 'm.room.message', `ann-${number}`), { msgtype: 'm.text', body: text })
          const since = performance.now()
          while (performance.now() - since < 4 * withinMs) {
            const said = (await events()).filter(({ sender, content }) => sender === bot && content.body?.includes(text))
            if (said.length > 0) return performance.now() - since
            await pause(200)
          }
          return Number.POSITIVE_INFINITY
        }),
      )
      await pause(withinMs)
      const own = (await events()).filter(({ sender, type }) => sender === bot && type === 'm.room.message')
      const plain = own.filter(({ content }) => !JSON.stringify(content['m.relates_to'] ?? {}).includes('m.replace'))
      const slowest = Math.max(...waits)
      const problems = [
        ...waits.flatMap((wait, number) => (wait > withinMs ? [`message ${number} was answered after ${(wait / 1000).toFixed(1)} s`] : [])),
        ...(plain.length === messages ? [] : [`${plain.length} answers to ${messages} messages`]),
      ]
      return { figures: `${waits.length} of ${messages} answered, slowest ${(slowest / 1000).toFixed(1)} s`, problems }
    },
    [Symbol.asyncDispose]: close,
  }
}
