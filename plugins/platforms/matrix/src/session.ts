import type { PlatformContext } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Life } from '@agent/plugin-sdk/http'
import { type Api, createApi, formatPath, platform, type Request } from './api.ts'
import type { Config } from './config.ts'
import type { Content } from './content.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { createSeals, type Seals } from './seals.ts'
import { invalid, type Settings } from './settings.ts'
import { openTokens } from './tokens.ts'
import { replies } from './wire.ts'

/** Who we are on which server; every part of a connection works with it. */
export interface Session {
  readonly api: Api
  readonly context: PlatformContext<Config>
  readonly settings: Settings
  readonly life: Life
  readonly user: string
  /** As people see us. */
  readonly name: string
  readonly rooms: Rooms
  readonly seals: Seals
  /** Writes into a room below `path`, whose last part makes a repetition harmless; gives the id of the event. */
  put(room: string, path: readonly string[], body: Content, more?: Pick<Request, 'patient'>): Promise<string>
  /** The same in the clear, even where the room is encrypted. */
  putPlain(room: string, path: readonly string[], body: Content, more?: Pick<Request, 'patient'>): Promise<string>
}

/** Proves the token, or logs in. Throws PLATFORM_AUTH where the server does not let us in. */
export async function openSession(context: PlatformContext<Config>, settings: Settings, life: Life): Promise<Session> {
  try {
    const api = createApi(context, settings.homeserver, openTokens(context, settings, life.signal))
    const { user_id: user, device_id: device } = await api.ask(replies.self, formatPath('account', 'whoami'), { signal: life.signal })
    if (settings.user !== undefined && settings.user !== user) throw invalid('MATRIX_USER_ID', `is not whose token it is: ${user}`)
    const profile = await api.find(replies.profile, formatPath('profile', user), life.signal)
    const name = profile?.displayname || (user.slice(1).split(':')[0] ?? user)
    const rooms = createRooms(api, life.signal)
    const seals = createSeals({ api, context, signal: life.signal, user, device, rooms })
    const putPlain: Session['put'] = async (room, path, body, more) => {
      const sent = await api.ask(replies.sent, formatPath('rooms', room, ...path), { method: 'PUT', body, signal: life.signal, ...more })
      return sent.event_id ?? ''
    }
    const put: Session['put'] = async (room, path, body, more) => {
      const [verb, type = '', ...rest] = path
      // Reactions and redactions are in the clear in encrypted rooms too: servers count the ones and carry out the others.
      if (verb !== 'send' || type !== 'm.room.message') return await putPlain(room, path, body, more)
      const sealed = await seals.seal(room, type, body)
      return await putPlain(room, [verb, sealed.type, ...rest], sealed.content, more)
    }
    return { api, context, settings, life, user, name, put, putPlain, rooms, seals }
  } catch (error) {
    throw isAgentError(error, 'SEND_REFUSED') ? fail('PLATFORM_AUTH', { platform, detail: String(error.params.detail) }) : error
  }
}
