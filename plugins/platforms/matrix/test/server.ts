import { setTimeout as pause } from 'node:timers/promises'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import type { ServerTrial } from '../../../../test/support/servers/server-trials.ts'
import { openSynapse } from './synapse.ts'

export const debianPackage = 'matrix-synapse'

const password = 'a long password'
const messages = 12
const everyMs = 5000
const withinMs = 10_000

interface Event {
  readonly type: string
  readonly sender: string
  readonly content: { readonly body?: string; readonly 'm.relates_to'?: object }
}

/** Somebody who speaks to the client-server API. */
function openClient(url: string) {
  let token: string | undefined
  const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const response = await fetch(`${url}/_matrix/client/v3/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const reply = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(reply)}`)
    return reply
  }
  return {
    ask,
    logIn: async (user: string) => {
      token = String(
        (await ask('POST', 'login', { type: 'm.login.password', identifier: { type: 'm.id.user', user }, password })).access_token,
      )
    },
  }
}

/** One message every five seconds for a minute in a direct room, on the limits that Synapse comes with. */
export async function openServerTrial(tree: DebianTree): Promise<ServerTrial> {
  const synapse = await openSynapse(tree)
  const [bot, ann] = [await synapse.addUser('agent', password), await synapse.addUser('ann', password)]
  const client = openClient(synapse.url)
  await client.logIn(ann)
  return {
    what: `a message each ${everyMs / 1000} s on Synapse's own limits`,
    config: {},
    environment: {
      ...{ MATRIX_HOMESERVER: synapse.url, MATRIX_USER_ID: bot, MATRIX_PASSWORD: password },
      ...{ MATRIX_ALLOWED_USERS: ann, MATRIX_INVITES_FROM: ann },
    },
    async talk() {
      const { room_id: room } = await client.ask('POST', 'createRoom', { invite: [bot], is_direct: true, preset: 'trusted_private_chat' })
      const path = `rooms/${encodeURIComponent(String(room))}`
      const events = async (): Promise<readonly Event[]> =>
        ((await client.ask('GET', `${path}/messages?dir=b&limit=200`)) as { readonly chunk: readonly Event[] }).chunk
      const joined = async (): Promise<boolean> => Object.hasOwn((await client.ask('GET', `${path}/joined_members`)).joined ?? {}, bot)
      for (let tries = 0; !(await joined()); tries += 1) {
        if (tries > 100) throw new Error('The agent did not come into the room.')
        await pause(200)
      }
      const waits = await Promise.all(
        Array.from({ length: messages }, async (_, number) => {
          await pause(number * everyMs)
          const text = `message ${number}.`
          await client.ask('PUT', `${path}/send/m.room.message/ann-${number}`, { msgtype: 'm.text', body: text })
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
    [Symbol.asyncDispose]: () => synapse[Symbol.asyncDispose](),
  }
}
