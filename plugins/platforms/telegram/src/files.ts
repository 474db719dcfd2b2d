import type { Attachment, Call, Files, OutboundMedia, Blob as Stored } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type BotApi, platform } from './bot-api.ts'
import { results } from './wire.ts'

/** How a file goes up. */
export interface UploadWay {
  readonly method: string
  readonly field: string
  /** Where the file has no name of its own. */
  readonly name: string
}

export const asDocument: UploadWay = { method: 'sendDocument', field: 'document', name: 'file' }
const asPhoto: UploadWay = { method: 'sendPhoto', field: 'photo', name: 'photo.jpg' }
const asAnimation: UploadWay = { method: 'sendAnimation', field: 'animation', name: 'animation.gif' }
const asVoice: UploadWay = { method: 'sendVoice', field: 'voice', name: 'voice.ogg' }
const asAudio: UploadWay = { method: 'sendAudio', field: 'audio', name: 'audio.mp3' }
const asVideo: UploadWay = { method: 'sendVideo', field: 'video', name: 'video.mp4' }

/** What Telegram shows as more than a file: by kind and by what the file is. */
const ways: readonly (readonly [kind: RegExp, mime: RegExp, way: UploadWay])[] = [
  [/^(image|sticker)$/, /^image\/(jpeg|png|webp)$/, asPhoto],
  [/^(image|video)$/, /^image\/gif$/, asAnimation],
  [/^voice$/, /^audio\/(ogg|opus)/, asVoice],
  [/^(audio|voice)$/, /^audio\/(mpeg|mp3|mp4|m4a|x-m4a)$/, asAudio],
  [/^video$/, /^video\/(mp4|quicktime)$/, asVideo],
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
  // A Bot API server in local mode names a file on its own disk.
  if (path === '' || path.startsWith('/') || path.split('/').includes('..')) {
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'the file cannot be fetched over HTTP' })
  }
  const response = await api.download(path.split('/').map(encodeURIComponent).join('/'), signal)
  if (!response.ok || !response.body) {
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: `a file was answered with ${response.status}` })
  }
  yield* response.body
}
