import type { ToolResult } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { ContentBlock, ResourceContents } from '@modelcontextprotocol/client'
import type { Spill } from './spill.ts'

/** A little less than the host lets through of one result. */
const mostCharacters = 50_000

interface Content {
  readonly content?: readonly ContentBlock[] | undefined
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

/** What a server answers, as a result for the model: its text, and files for what is no text or is too long. */
export async function readResult(name: string, { content = [], structuredContent, isError }: Content, spill: Spill): Promise<ToolResult> {
  const parts: string[] = []
  for (const block of content) parts.push(await textOf(name, block, spill))
  if (content.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent, null, 1))
  const text = await shorten(name, parts.join('\n\n') || '(nothing)', spill)
  if (isError === true) return { ok: false, error: toWireError(fail('TOOL_FAILED', { tool: name, detail: text.slice(0, 500) })), text }
  return { ok: true, text }
}

/** The beginning and the end of a long text; all of it is in a file. */
export async function shorten(name: string, text: string, spill: Spill): Promise<string> {
  if (text.length <= mostCharacters) return text
  const path = await spill.write(name, text, 'txt')
  const head = text.slice(0, mostCharacters * 0.75)
  const tail = text.slice(-mostCharacters * 0.25)
  return `${head}\n… ${text.length - head.length - tail.length} characters left out; all ${text.length} are in ${path} …\n${tail}`
}

async function textOf(name: string, block: ContentBlock, spill: Spill): Promise<string> {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `${block.name}: ${block.uri}${block.description ? `\n${block.description}` : ''}`
  if (block.type === 'resource') return readContents(name, block.resource, spill)
  return keep(name, block.data, block.mimeType, spill)
}

export async function readContents(name: string, contents: ResourceContents, spill: Spill): Promise<string> {
  if ('text' in contents && typeof contents.text === 'string') return `${contents.uri}\n${contents.text}`
  if ('blob' in contents && typeof contents.blob === 'string')
    return `${contents.uri}\n${await keep(name, contents.blob, contents.mimeType ?? 'application/octet-stream', spill)}`
  return contents.uri
}

async function keep(name: string, data: string, mime: string, spill: Spill): Promise<string> {
  const bytes = Buffer.from(data, 'base64')
  const ending = (mime.split('/')[1] ?? '').replaceAll(/[^a-z0-9]/gi, '').slice(0, 8) || 'bin'
  const path = await spill.write(name, bytes, ending)
  const shown = mime.startsWith('image/') ? ` A line MEDIA:${path} in your answer shows it.` : ''
  return `(${mime.slice(0, 100)}, ${Math.ceil(bytes.length / 1024)} KiB, in ${path}.${shown})`
}
