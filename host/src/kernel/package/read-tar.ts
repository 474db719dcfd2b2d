import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

export interface TarHeader {
  /** As it is written in the archive. */
  readonly path: string
  readonly type: 'file' | 'folder' | 'link' | 'other'
  /** Where a link leads. */
  readonly target: string
  readonly size: number
}

export interface TarEntry extends TarHeader {
  readonly content: Buffer
}

const block = 512

/** The entries of a `.tgz`; `inspect` sees each header before its content is kept, and throws to end it all. */
export async function* readTar(file: string, inspect: (header: TarHeader) => void, signal?: AbortSignal): AsyncGenerator<TarEntry> {
  const take = openBytes(file, signal)
  let more: ReadonlyMap<string, string> = new Map()
  let zeros = 0
  while (zeros < 2) {
    const raw = await take(block)
    if (raw.every((byte) => byte === 0)) {
      zeros += 1
      continue
    }
    zeros = 0
    const flag = String.fromCharCode(raw[156] ?? 0)
    const header = toHeader(raw, flag, more)
    const padded = Math.ceil(header.size / block) * block
    if (isAbout(flag)) {
      if (header.size > 65_536) throw new Error('a header is too long')
      const about = (await take(padded)).subarray(0, header.size)
      more = new Map([...more, ...readAbout(flag, about)])
      continue
    }
    more = new Map()
    inspect(header)
    yield { ...header, content: (await take(padded)).subarray(0, header.size) }
  }
}

const isAbout = (flag: string): boolean => 'xgLK'.includes(flag)

function readAbout(flag: string, content: Buffer): readonly (readonly [string, string])[] {
  if (flag === 'L' || flag === 'K') return [[flag === 'L' ? 'path' : 'linkpath', content.toString('utf8').replace(/\0.*$/s, '')]]
  // What holds for the whole archive is not needed here.
  if (flag === 'g') return []
  const records: (readonly [string, string])[] = []
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString('latin1', at, at + 20), 10)
    if (!(length > 0)) throw new Error('an extended header is wrong')
    const [, name, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(content.toString('utf8', at, at + length)) ?? []
    if (name !== undefined && value !== undefined) records.push([name, value])
    at += length
  }
  return records
}

function toHeader(raw: Buffer, flag: string, more: ReadonlyMap<string, string>): TarHeader {
  const sum = raw.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (sum !== octal(raw, 148, 8)) throw new Error('a header has the wrong checksum')
  const size = more.has('size') ? Number(more.get('size')) : octal(raw, 124, 12)
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('a header has no size')
  const type = flags[flag] ?? 'other'
  const path = more.get('path') ?? pathOf(raw)
  return { path, type, target: more.get('linkpath') ?? text(raw, 157, 100), size: type === 'link' || type === 'folder' ? 0 : size }
}

const flags: Readonly<Record<string, TarHeader['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '5': 'folder',
}

function pathOf(raw: Buffer): string {
  const prefix = text(raw, 257, 5) === 'ustar' ? text(raw, 345, 155) : ''
  return prefix ? `${prefix}/${text(raw, 0, 100)}` : text(raw, 0, 100)
}

function text(raw: Buffer, from: number, length: number): string {
  const field = raw.subarray(from, from + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

function octal(raw: Buffer, from: number, length: number): number {
  const digits = text(raw, from, length).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
}

/** Hands out exactly as many bytes as are asked for; an archive that ends before is damaged. */
function openBytes(file: string, signal: AbortSignal | undefined): (length: number) => Promise<Buffer> {
  const gunzip = createGunzip()
  pipeline(createReadStream(file, { signal }), gunzip, () => undefined)
  const chunks = gunzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let kept: Buffer[] = []
  let length = 0
  return async (wanted) => {
    while (length < wanted) {
      const next = await chunks.next()
      if (next.done) throw new Error('it ends too early')
      kept.push(next.value)
      length += next.value.length
    }
    const whole = kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept)
    kept = [whole.subarray(wanted)]
    length -= wanted
    return whole.subarray(0, wanted)
  }
}
