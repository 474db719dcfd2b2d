import { gzipSync } from 'node:zlib'

/** One entry of an archive, as wrong as a test wants it. */
export interface TarItem {
  readonly path: string
  readonly content?: string
  /** `0` file, `1` hard link, `2` symbolic link, `3` device, `5` folder. */
  readonly flag?: string
  readonly target?: string
  /** What its header says; that of its content unless told. */
  readonly size?: number
}

/** A `.tgz` of exactly these entries. */
export function writeTar(items: readonly TarItem[]): Buffer {
  return gzipSync(Buffer.concat([...items.flatMap(toBlocks), Buffer.alloc(1024)]))
}

/** A package as `npm pack` lays it out. */
export function writePackage(files: Readonly<Record<string, string>>, more: readonly TarItem[] = []): Buffer {
  return writeTar([...Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content })), ...more])
}

function toBlocks({ path, content = '', flag = '0', target = '', ...told }: TarItem): readonly Buffer[] {
  const body = Buffer.from(content)
  const { size = body.length } = told
  const padding = Buffer.alloc((512 - (body.length % 512)) % 512)
  if (Buffer.byteLength(path) <= 100) return [toHeader(path, size, flag, target), body, padding]
  const record = formatRecord('path', path)
  return [...toBlocks({ path: 'PaxHeader', content: record, flag: 'x' }), toHeader(path.slice(0, 100), size, flag, target), body, padding]
}

function formatRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`
  const length = [2, 3, 4].map((digits) => Buffer.byteLength(rest) + digits).find((sum, at) => String(sum).length === at + 2)
  return `${length}${rest}`
}

function toHeader(path: string, size: number, flag: string, target: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(path, 0, 100)
  header.write('0000644\0', 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(flag, 156)
  header.write(target, 157, 100)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
