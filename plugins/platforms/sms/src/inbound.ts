import type { Attachment, InboundMessage } from '@agent/plugin-sdk'
import type { Settings } from './settings.ts'
import { type Incoming, parseIncoming } from './wire.ts'

/** What somebody wrote to our number. Undefined for everything else, our own words too. */
export function readMessage(
  form: URLSearchParams,
  { accountSid, number }: Pick<Settings, 'accountSid' | 'number'>,
): InboundMessage | undefined {
  const incoming = parseIncoming(form)
  if (!incoming || incoming.account !== accountSid || incoming.to !== number || incoming.from === number) return undefined
  const media = incoming.files.map(readFile)
  const text = incoming.body.trim()
  if (text === '' && media.length === 0) return undefined
  return {
    id: incoming.sid,
    account: number,
    conversation: { id: incoming.from, kind: 'dm' },
    sender: { id: incoming.from, isBot: false },
    text,
    addressed: true,
    ...(media.length === 0 ? {} : { media }),
  }
}

function readFile({ path, mime }: Incoming['files'][number]): Attachment {
  const family = mime.split('/')[0] ?? ''
  return { id: path, mime, kind: family === 'image' || family === 'audio' || family === 'video' ? family : 'document' }
}
