import type { Files } from '../contract/context.ts'
import type { OutboundMedia } from '../contract/messages.ts'

/** Adds the files of a message to a form; `field` names the field of each. */
export async function appendFiles(
  form: FormData,
  media: readonly OutboundMedia[],
  files: Pick<Files, 'read'>,
  field: (index: number) => string,
): Promise<FormData> {
  for (const [index, { blob }] of media.entries()) {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    for await (const piece of files.read(blob)) pieces.push(new Uint8Array(piece))
    form.append(field(index), new File(pieces, blob.name ?? 'file', { type: blob.mime }))
  }
  return form
}
