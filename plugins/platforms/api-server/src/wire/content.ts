import type { InputPart } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Content, contentPart } from './wire.ts'

const maxParts = 1_000
const maxDepth = 10
const textTypes = new Set(['text', 'input_text', 'output_text', 'refusal'])
const isImage = (type: string): boolean => type === 'image_url' || type === 'input_image'
const fileTypes = new Set(['file', 'input_file', 'file_id', 'input_audio', 'audio', 'video_url'])

/** What a person said, as parts; `param` names the place for the error. */
export function parseParts(content: Content, param: string): readonly InputPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!content) return []
  return flatten(content, param)
    .map((part, index) => parsePart(part, `${param}.${index}`))
    .filter((part) => part.type !== 'text' || part.text !== '')
}

/** The text alone; an image or a file leaves a word that it was there. */
export function parseText(content: Content, param: string): string {
  if (typeof content === 'string') return content
  return flatten(content ?? [], param)
    .map(plainText)
    .filter(Boolean)
    .join('\n')
}

/** Lists inside of lists become one. */
function flatten(content: readonly unknown[], param: string): readonly unknown[] {
  const flat = content.some(Array.isArray) ? content.flat(maxDepth - 1) : content
  if (flat.some(Array.isArray)) throw fail('HTTP_INVALID', { param, problem: `is nested more than ${maxDepth} lists deep` })
  if (flat.length > maxParts) throw fail('HTTP_INVALID', { param, problem: `has more than ${maxParts} parts` })
  return flat
}

/** The texts of parts, one below the other. */
export function textOf(parts: readonly InputPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function parsePart(value: unknown, param: string): InputPart {
  if (typeof value === 'string') return { type: 'text', text: value }
  const parsed = contentPart.safeParse(value)
  if (!parsed.success) throw fail('HTTP_CONTENT_PART', { param, problem: 'must be an object with a type' })
  const part = parsed.data
  if (textTypes.has(part.type)) {
    if (typeof part.text !== 'string') throw fail('HTTP_CONTENT_PART', { param, problem: 'has no text' })
    return { type: 'text', text: part.text }
  }
  if (isImage(part.type)) {
    return { type: 'image', url: parseImageUrl(typeof part.image_url === 'string' ? part.image_url : part.image_url?.url, param) }
  }
  if (fileTypes.has(part.type)) throw fail('HTTP_CONTENT_UNSUPPORTED', { param, what: `a part of type ${part.type}` })
  throw fail('HTTP_CONTENT_PART', { param, problem: `the type ${part.type.slice(0, 40)} is not known` })
}

function parseImageUrl(url: string | undefined, param: string): string {
  if (!url) throw fail('HTTP_IMAGE_URL', { param, problem: 'the image has no URL' })
  if (/^data:image\//i.test(url)) return url
  if (/^data:/i.test(url)) throw fail('HTTP_CONTENT_UNSUPPORTED', { param, what: 'a data URL that is not an image' })
  if (/^https?:\/\/./i.test(url)) return url
  throw fail('HTTP_IMAGE_URL', { param, problem: 'the URL of an image starts with http://, https:// or data:image/' })
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  const parsed = contentPart.safeParse(value)
  if (!parsed.success) return ''
  const { type, text, refusal } = parsed.data
  const said = text ?? refusal
  if (textTypes.has(type)) return typeof said === 'string' ? said : ''
  return isImage(type) || fileTypes.has(type) ? `[${isImage(type) ? 'an image' : 'a file'} that cannot be shown here]` : ''
}
