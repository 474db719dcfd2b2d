import type { Attachment, Call, Platform } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { connectWithin, createReceiveQueue } from '@agent/plugin-sdk/http'
import { platform } from './api.ts'
import type { Config } from './config.ts'
import { readEvent, readFileKey } from './inbound.ts'
import { createSender } from './outbound.ts'
import { createQuestions } from './questions.ts'
import { openSession, type Session } from './session.ts'
import { loadSettings } from './settings.ts'
import { createSigns } from './signs.ts'
import { openSync } from './sync.ts'

/** One account on one homeserver. */
const matrix: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    return await connectWithin(context, platform, call, async (life) => {
      const session = await openSession(context, settings, life)
      const accept = createReceiveQueue({ receive: context.receive, clock: context.clock, signal: life.signal, onFailure: life.end })
      const questions = createQuestions(session)
      const { finish, ...sender } = createSender(session, questions)
      await openSync(session, async (room, event) => {
        if (event.type === 'm.reaction') return await questions.onReaction(room, event)
        if (event.type !== 'm.room.message' && event.type !== 'm.sticker') return
        const message = await readEvent(room, event, session).catch((error: unknown) => {
          if (!isAgentError(error, 'SEND_REFUSED')) throw error
          context.log.warn('a message cannot be read', { room, reason: String(error) })
        })
        if (message) await accept(message)
      })
      life.serve()
      context.log.info('connected to Matrix', { user: session.user, homeserver: settings.homeserver })
      return {
        ...sender,
        ...createSigns(session),
        fetchMedia: (attachment, fetchCall) => fetchFile(session, attachment, fetchCall),
        identity: async () => ({ id: session.user, name: session.name }),
        lastHeard: async () => life.lastHeard(),
        close: async (closeCall) => {
          await finish(closeCall.signal)
          life.close()
          await session.seals.close()
        },
      }
    })
  },
}

/** The bytes of a file, which the server gives only to its own people. */
async function* fetchFile({ api }: Session, { id }: Attachment, { signal }: Call): AsyncIterable<Uint8Array> {
  const [address = '', sealed] = id.split('#')
  const place = /^mxc:\/\/([^/?#]+\/[\w-]+)$/.exec(address)?.[1]
  if (place === undefined) throw fail('SEND_REFUSED', { platform, detail: 'that is no file of the server' })
  const response = await api.fetch(`client/v1/media/download/${place}`, { signal })
  const bytes = response.body ?? emptyBody()
  if (sealed === undefined) return yield* bytes
  const { decryptFile } = await import('./encryption/files.ts')
  yield* decryptFile(bytes, readFileKey(sealed))
}

async function* emptyBody(): AsyncIterable<Uint8Array> {}

export default matrix
