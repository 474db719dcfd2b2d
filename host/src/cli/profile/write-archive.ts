import { createWriteStream, type Dirent, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

const block = 512

/** Writes files and folders below a folder as a `.tar.gz` that is there as a whole or not at all. Links and devices are left out; answers with how many files it has. */
export async function writeArchive(file: string, folder: string, names: readonly string[], signal: AbortSignal): Promise<number> {
  const part = `${file}.${process.pid}.tmp`
  const paths = names.flatMap((name) => listFiles(folder, name))
  try {
    await pipeline(Readable.from(toBlocks(folder, paths)), createGzip(), createWriteStream(part, { mode: 0o600, flags: 'wx' }), { signal })
    renameSync(part, file)
  } finally {
    rmSync(part, { force: true })
  }
  return paths.length
}

function listFiles(folder: string, name: string): readonly string[] {
  const about = lstatSync(join(folder, name))
  if (about.isFile()) return [name]
  if (!about.isDirectory()) return []
  const inner = (entry: Dirent): string => `${name}/${entry.name}`
  return readdirSync(join(folder, name), { withFileTypes: true }).flatMap((entry) => listFiles(folder, inner(entry)))
}

function* toBlocks(folder: string, paths: readonly string[]): Generator<Buffer> {
  for (const path of paths) {
    const whole = `profile/${path}`
    if (Buffer.byteLength(whole) > 100) yield toEntry('PaxHeader', Buffer.from(formatRecord(whole)), 'x')
    yield toEntry(whole, readFileSync(join(folder, path)), '0')
  }
  yield Buffer.alloc(2 * block)
}

/** The length of a record counts its own digits. */
function formatRecord(path: string): string {
  const rest = ` path=${path}\n`
  const bytes = Buffer.byteLength(rest)
  const length = [2, 3, 4].map((digits) => bytes + digits).find((sum, at) => String(sum).length === at + 2)
  return `${length}${rest}`
}

function toEntry(path: string, content: Buffer, flag: string): Buffer {
  const header = Buffer.alloc(block)
  header.write(path, 0, 100)
  header.write('0000600\0', 100)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(flag, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, content, Buffer.alloc((block - (content.length % block)) % block)])
}
