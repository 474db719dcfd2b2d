import type { Attachment, Call, Files, OutboundMedia, Blob as Stored } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type BotApi, platform } from './bot-api.ts'
import { results } from './wire.ts'

/** How a file goes up; the name is for one without a name. */
export interface UploadWay {
  readonly method: string
  readonly field: string
  readonly name: string
}

export const asDocument: UploadWay = { method: 'sendDocument', field: 'document', name: 'file' }

/** What Telegram shows as more than a file: by kind and by what the file is. */
const ways: readonly (readonly [kind: RegExp, mime: RegExp, way: UploadWay])[] = [
  [/^(image|sticker)$/, /^image\/(jpeg|png|webp)$/, { method: 'sendPhoto', field: 'photo', name: 'photo.jpg' }],
  [/^(image|video)$/, /^image\/gif$/, { method: 'sendAnimation', field: 'animation', name: 'animation.gif' }],
  [/^voice$/, /^audio\/(ogg|opus)/, { method: 'sendVoice', field: 'voice', name: 'voice.ogg' }],
  [/^(audio|voice)$/, /^audio\/(mpeg|mp3|mp4|m4a|x-m4a)$/, { method: 'sendAudio', field: 'audio', name: 'audio.mp3' }],
  [/^video$/, /^video\/(mp4|quicktime)$/, { method: 'sendVideo', field: 'video', name: 'video.mp4' }],
]

export function chooseUpload({ kind, blob }: OutboundMedia): UploadWay {
  return ways.find(([kinds, mimes]) => kinds.test(kind) && mimes.test(blob.mime))?.[2] ?? asDocument
}

export async function loadUpload(files: Pick<Files, 'read'>, blob: Stored): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of files.read(blob)) chunks.push(new Uint8Array(chunk))
  return new Blob(chunks, { type: blob.mime })
}

/** The bytes of a file that somebody sent. A name for it is asked for each time, since Telegram keeps one only for an hour. */
export async function* fetchFile(api: BotApi, { id }: Attachment, { signal }: Call): AsyncGenerator<Uint8Array> {
  const { file_path: path = '' } = await api.ask('getFile', { file_id: id }, results.file, signal)
  const broken = (detail: string): Error => fail('PLATFORM_UNREACHABLE', { platform, detail })
  // A Bot API server in local mode names a file on its own disk.
  if (path === '' || path.startsWith('/') || path.split('/').includes('..')) throw broken('the file cannot be fetched over HTTP')
  const response = await api.download(path.split('/').map(encodeURIComponent).join('/'), signal)
  if (!response.ok || !response.body) throw broken(`a file was answered with ${response.status}`)
  yield* response.body
}
