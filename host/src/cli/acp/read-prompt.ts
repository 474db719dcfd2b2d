import { fileURLToPath } from 'node:url'
import type { InputPart } from '@agent/plugin-sdk'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { refuseParams } from './refusals.ts'

/** What a person said in an editor. */
export interface Said {
  readonly text: string
  /** All of it, where it is more than text. */
  readonly input?: readonly InputPart[]
}

export function readPrompt(blocks: readonly ContentBlock[]): Said {
  const input = blocks.map(readBlock)
  const text = input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const isPlain = input.every(({ type }) => type === 'text')
  if (text.trim() === '' && isPlain) throw refuseParams('The prompt is empty.')
  return isPlain ? { text } : { text, input }
}

function readBlock(block: ContentBlock): InputPart {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'image') return pictureOf(block.mimeType, block.data)
  if (block.type === 'resource_link') return { type: 'text', text: `[${block.title ?? block.name}](${placeOf(block.uri)})` }
  if (block.type === 'resource') return readResource(block.resource)
  throw refuseParams(`A prompt cannot hold ${block.type}: it takes text, pictures and resources.`)
}

function readResource(resource: Extract<ContentBlock, { type: 'resource' }>['resource']): InputPart {
  const place = placeOf(resource.uri)
  if ('text' in resource) return { type: 'text', text: `<resource at="${place}">\n${resource.text}\n</resource>`, file: place }
  const kind = resource.mimeType ?? ''
  if (kind.startsWith('image/')) return pictureOf(kind, resource.blob)
  return { type: 'text', text: `[${place} was given, and is neither text nor a picture]` }
}

function pictureOf(kind: string, data: string): InputPart {
  if (!/^image\/[\w.+-]+$/.test(kind)) throw refuseParams(`A picture has a MIME type like image/png, not "${kind.slice(0, 100)}".`)
  return { type: 'image', url: `data:${kind};base64,${data}` }
}

/** A file by its path, which is what tools take. */
function placeOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : uri
  } catch {
    // It names a file of another machine.
    return uri
  }
}
