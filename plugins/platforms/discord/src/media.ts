import type { Attachment, Call } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Api, platform, refuse } from './api.ts'
import { readWireMessage } from './wire.ts'

/** The bytes of a file that came with a message. */
export async function* fetchMedia(api: Pick<Api, 'ask' | 'download'>, { id }: Attachment, { signal }: Call): AsyncGenerator<Uint8Array> {
  const [channel, message, file] = id.split('/')
  const answer = await api.ask('GET', `/channels/${channel}/messages/${message}`, { signal })
  if (!answer.ok) throw refuse(answer)
  const url = readWireMessage(answer.body)?.attachments?.find((one) => one.id === file)?.url
  if (url === undefined) throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'the message has no such file any more' })
  const response = await api.download(url, signal)
  if (!response.ok || !response.body) throw fail('PLATFORM_UNREACHABLE', { platform, detail: `the file was answered ${response.status}` })
  yield* response.body as unknown as AsyncIterable<Uint8Array>
}
