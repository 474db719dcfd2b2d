import type { Attachment } from '@agent/plugin-sdk'
import type { MessageStructureObject } from 'imapflow'
import type { TextPart } from './wire.ts'

/** A file, as far as it is known before its place is. */
export type FilePart = Omit<Attachment, 'id'> & { readonly part: string }

/** What there is to read in a message, and what lies beside it. */
export interface Contents {
  readonly texts: readonly TextPart[]
  readonly files: readonly FilePart[]
}

/** Forwarded messages inside of forwarded ones that are still read. */
const deepest = 2
const mostTexts = 10
const mostFiles = 20

/** Finds the parts of a message by the description that the server gives of it. */
export function readStructure(root: MessageStructureObject): Contents {
  const contents = walk(root, 0)
  return { texts: contents.texts.slice(0, mostTexts), files: contents.files.slice(0, mostFiles) }
}

function walk(node: MessageStructureObject, depth: number): Contents {
  const type = node.type.toLowerCase()
  const children = node.childNodes ?? []
  if (type === 'multipart/alternative') return chooseAlternative(children.map((child) => walk(child, depth)))
  if (type === 'message/rfc822' && depth < deepest) return join(children.map((child) => walk(withOwnNumber(child, node), depth + 1)))
  if (type.startsWith('multipart/')) return join(children.map((child) => walk(child, depth)))
  if (/^application\/(pgp|x?-?pkcs7)-signature$/.test(type)) return { texts: [], files: [] }
  if ((type === 'text/plain' || type === 'text/html') && node.disposition !== 'attachment' && findName(node) === undefined) {
    return { texts: [readText(node, type)], files: [] }
  }
  return { texts: [], files: [readFile(node, type)] }
}

/** The client gives the only part of an enclosed message the number of the message, which stands for its head too. */
function withOwnNumber(child: MessageStructureObject, { part }: MessageStructureObject): MessageStructureObject {
  return child.childNodes || part === undefined || child.part !== part ? child : { ...child, part: `${part}.1` }
}

const join = (all: readonly Contents[]): Contents => ({
  texts: all.flatMap(({ texts }) => texts),
  files: all.flatMap(({ files }) => files),
})

/** The same words in several forms: the plain one is what was written. */
function chooseAlternative(all: readonly Contents[]): Contents {
  const plain = all.find(({ texts }) => texts.some(({ type }) => type === 'text/plain'))
  const chosen = plain ?? all.find(({ texts }) => texts.length > 0)
  return { texts: chosen?.texts ?? [], files: join(all).files }
}

function readText({ part, parameters = {}, encoding }: MessageStructureObject, type: TextPart['type']): TextPart {
  return {
    part: part ?? 'text',
    type,
    charset: parameters.charset ?? 'utf-8',
    encoding: encoding ?? '7bit',
    isFlowed: parameters.format?.toLowerCase() === 'flowed',
  }
}

function readFile(node: MessageStructureObject, type: string): FilePart {
  const [family = ''] = type.split('/')
  const kind = family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
  // What the server counts is still encoded.
  const share = node.encoding?.toLowerCase() === 'base64' ? 57 / 78 : 1
  const bytes = node.size === undefined ? {} : { bytes: Math.floor(node.size * share) }
  const name = findName(node)
  return { part: node.part ?? '1', kind, mime: type, ...(name === undefined ? {} : { name }), ...bytes }
}

function findName({ dispositionParameters = {}, parameters = {} }: MessageStructureObject): string | undefined {
  return (dispositionParameters.filename ?? parameters.name)?.replace(/\s+/g, ' ').trim() || undefined
}
