import { setTimeout as pause } from 'node:timers/promises'
import type { DebianTree } from '../../../../test/support/servers/debian-tree.ts'
import { formatPath } from '../src/api.ts'
import { openSynapse } from './synapse.ts'

const password = 'a long password'

/** Somebody who speaks to the client-server API of a real server. */
export interface SynapseClient {
  readonly user: string
  readonly device: string
  readonly url: string
  /** `path` as the API of the platform writes it. */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** Uploads bytes; gives their address. */
  upload(bytes: Uint8Array<ArrayBuffer>): Promise<string>
  download(address: string): Promise<Buffer>
  /** Makes a room and waits until the one who is invited is there; gives its id. */
  openRoomWith(guest: string, more?: object): Promise<string>
}

async function logIn(url: string, user: string): Promise<SynapseClient> {
  let token: string | undefined
  const send = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>): Promise<Response> => {
    const type = typeof body === 'object' ? 'application/octet-stream' : 'application/json'
    const headers = { 'content-type': type, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const response = await fetch(`${url}/_matrix/${path}`, { method, headers, ...(body !== undefined && { body }) })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response
  }
  const ask: SynapseClient['ask'] = async (method, path, body) =>
    (await (await send(method, path, body && JSON.stringify(body))).json()) as Record<string, unknown>
  const login = await ask('POST', formatPath('login'), { type: 'm.login.password', identifier: { type: 'm.id.user', user }, password })
  token = String(login.access_token)
  return {
    ...{ url, user, device: String(login.device_id), ask },
    upload: async (bytes) => String(((await (await send('POST', 'media/v3/upload', bytes)).json()) as Record<string, unknown>).content_uri),
    download: async (address) =>
      Buffer.from(await (await send('GET', `client/v1/media/download/${address.replace('mxc://', '')}`)).arrayBuffer()),
    openRoomWith: async (guest, more) => {
      const made = await ask('POST', formatPath('createRoom'), {
        invite: [guest],
        is_direct: true,
        preset: 'trusted_private_chat',
        ...more,
      })
      const room = String(made.room_id)
      const path = formatPath('rooms', room, 'joined_members')
      for (let tries = 0; !Object.hasOwn((await ask('GET', path)).joined ?? {}, guest); tries += 1) {
        if (tries > 100) throw new Error('The agent did not come into the room.')
        await pause(200)
      }
      return room
    },
  }
}

/** A homeserver with the agent's account and Ann, who may talk to it, and so invite it. */
export async function openSynapseWithAnn(tree: DebianTree): Promise<{
  readonly bot: string
  readonly client: SynapseClient
  /** Logs Ann in once more, as another device. */
  logInAgain(): Promise<SynapseClient>
  /** What the agent is set up with. */
  readonly environment: Readonly<Record<string, string>>
  close(): PromiseLike<void>
}> {
  const synapse = await openSynapse(tree)
  const [bot, ann] = [await synapse.addUser('agent', password), await synapse.addUser('ann', password)]
  return {
    bot,
    client: await logIn(synapse.url, ann),
    logInAgain: () => logIn(synapse.url, ann),
    environment: {
      ...{ MATRIX_HOMESERVER: synapse.url, MATRIX_USER_ID: bot, MATRIX_PASSWORD: password, MATRIX_ALLOWED_USERS: ann },
    },
    close: () => synapse[Symbol.asyncDispose](),
  }
}
