import type { MediaKind } from '@agent/plugin-sdk'

/** A file that a text asks to be sent with it. */
export interface MediaDirective {
  /** As it was written. */
  readonly path: string
  /** Asked for by a sign in the text; otherwise the kind of the file decides. */
  readonly as?: 'document' | 'voice'
}

export interface WithDirectives {
  /** Without the directives. */
  readonly text: string
  readonly media: readonly MediaDirective[]
}

const directive = /^[ \t]*MEDIA:[ \t]*(?:"([^"\n]+)"|(\S[^\n]*))[ \t]*$/gm
const signs = /\[\[(as_document|audio_as_voice)\]\] ?/g

/** Takes `MEDIA:<path>` lines out of a text, and the signs that say how the files are sent. Code fences are left alone. */
export function parseDirectives(text: string): WithDirectives {
  const pieces = text.split(/(^```[\s\S]*?^```[^\n]*$)/m)
  const media: MediaDirective[] = []
  const wanted = new Set<string>()
  const left = pieces.map((piece, index) => {
    if (index % 2 === 1) return piece
    const bare = piece.replace(signs, (_, sign: string) => {
      wanted.add(sign)
      return ''
    })
    return bare.replace(directive, (_, quoted: string | undefined, plain: string | undefined) => {
      media.push({ path: (quoted ?? plain ?? '').trim() })
      return ''
    })
  })
  const as = wanted.has('as_document') ? 'document' : wanted.has('audio_as_voice') ? 'voice' : undefined
  return {
    text: left
      .join('')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    media: as ? media.map((one) => ({ ...one, as })) : media,
  }
}

const kinds: readonly (readonly [MediaKind, RegExp])[] = [
  ['image', /\.(png|jpe?g|gif|webp|bmp)$/i],
  ['video', /\.(mp4|mov|webm|mkv|m4v)$/i],
  ['audio', /\.(mp3|m4a|wav|flac|aac|ogg|opus|oga)$/i],
]

/** How a file is sent: as its directive asks, else by the end of its name. */
export function kindOf({ path, as }: MediaDirective): MediaKind {
  const kind = kinds.find(([, names]) => names.test(path))?.[0] ?? 'document'
  if (as === 'document') return 'document'
  return as === 'voice' && kind === 'audio' ? 'voice' : kind
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  zip: 'application/zip',
}

/** The type of a file by the end of its name. */
export function mimeOf(path: string): string {
  return types[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'
}
