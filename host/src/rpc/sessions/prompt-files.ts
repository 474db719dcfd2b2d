import { type InputPart, imageTypeOf, type ModelMessage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { cleanName, quoteFile } from '#gateway/media/quote-file.ts'
import type { PromptFile, ShownFile } from '../protocol.ts'

type UserParts = Extract<ModelMessage, { role: 'user' }>['parts']

/** A prompt with files: what the model is told, and what those who look on see. */
export interface ReadFiles {
  readonly input: readonly InputPart[]
  readonly files: readonly ShownFile[]
}

/** A picture that is larger is not shown again where only the stored messages are left. */
const longestPreview = 24_000

/** Throws MEDIA_NOT_IMAGE where a picture is none. */
export function readFiles(text: string, given: readonly PromptFile[]): ReadFiles {
  const said: readonly InputPart[] = text.trim() === '' ? [] : [{ type: 'text', text }]
  return { input: [...said, ...given.map(partOf)], files: given.map(shownOf) }
}

function partOf(file: PromptFile): InputPart {
  const name = nameOf(file)
  if ('text' in file) return quoteFile(name, `"${name}"`, file.text)
  const [head = '', data = ''] = file.image.split(',', 2)
  // What it says it is, it has to be: the first bytes tell.
  if (`data:${imageTypeOf(Buffer.from(data.slice(0, 64), 'base64'))};base64` !== head) throw fail('MEDIA_NOT_IMAGE', { name })
  return { type: 'image', url: file.image }
}

function shownOf(file: PromptFile): ShownFile {
  const name = nameOf(file)
  if ('text' in file) return { name, kind: 'text' }
  return { name, kind: 'image', ...(file.preview === undefined ? {} : { preview: file.preview }) }
}

const nameOf = ({ name }: PromptFile): string => cleanName(name) || 'file'

/** The same of a stored message: its files are told from what the model was told. */
export function readStored(parts: UserParts): { readonly text: string; readonly files?: readonly ShownFile[] } {
  const texts: string[] = []
  const files: ShownFile[] = []
  for (const part of parts) {
    if (part.type === 'text' && part.file !== undefined) files.push({ name: part.file, kind: 'text' })
    else if (part.type === 'text') texts.push(part.text)
    else files.push({ name: 'picture', kind: 'image', ...(isSmall(part.url) ? { preview: part.url } : {}) })
  }
  return { text: texts.join('\n'), ...(files.length > 0 ? { files } : {}) }
}

function isSmall(url: string): boolean {
  return url.length <= longestPreview && /^data:image\/(png|jpeg|gif|webp);base64,/.test(url)
}
