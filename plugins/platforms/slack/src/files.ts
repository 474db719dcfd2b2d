import type { Attachment, Call, OutboundMedia } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Api, platform } from './api.ts'
import { replies } from './wire.ts'
import type { App } from './workspaces.ts'

/** Brings bytes to Slack, where nobody sees them yet; gives the ids of the files. */
export async function uploadFiles(app: App, api: Api, media: readonly OutboundMedia[], { signal }: Call): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { blob } of media) {
    const bytes: Uint8Array[] = []
    for await (const piece of app.context.files.read(blob)) bytes.push(piece)
    const body = Buffer.concat(bytes)
    const filename = blob.name ?? `file.${blob.mime.split(/[/+;]/)[1] ?? 'bin'}`
    const { upload_url, file_id } = await api.ask(replies.upload, 'files.getUploadURLExternal', { filename, length: body.length }, signal)
    const response = await api.transfer(upload_url, { method: 'POST', body, signal })
    await response.body?.cancel()
    ids.push(file_id)
  }
  return ids
}

/** The bytes of a file that came with a message, read with the token of the bot. */
export async function* fetchFile(app: App, { id }: Attachment, { signal }: Call): AsyncIterable<Uint8Array> {
  const [team = '', file = ''] = id.split('/')
  const { api } = app.find(team) ?? app.locate('')
  const about = (await api.ask(replies.file, 'files.info', { file }, signal)).file
  const url = about.url_private_download || about.url_private
  if (!url) throw fail('SEND_REFUSED', { platform, detail: 'the file cannot be downloaded' })
  const response = await api.transfer(url, { signal })
  // Without the right to read files Slack sends on to a page to log in.
  if (response.redirected && /^text\/html/.test(response.headers.get('Content-Type') ?? '')) {
    await response.body?.cancel()
    throw fail('SEND_REFUSED', { platform, detail: 'the file cannot be downloaded (it needs files:read)' })
  }
  yield* response.body ?? []
}
