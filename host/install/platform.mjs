import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Which C library a native module must fit: two builds for one ABI differ by it. */
export function libc() {
  if (process.platform !== 'linux') return 'none'
  const header = process.report.getReport().header
  return header.glibcVersionRuntime ? 'glibc' : 'musl'
}

/** What a compiled file depends on besides its source: ABI, platform, arch, libc. */
export function nativeTarget() {
  return `${process.versions.modules}-${process.platform}-${process.arch}-${libc()}`
}

/** The folder with the headers of the running Node, so that a compile needs no download; undefined where they are not installed. */
export function headersFolder() {
  const prefix = dirname(dirname(process.execPath))
  const file = join(prefix, 'include', 'node', 'node_version.h')
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const part = (name) => text.match(new RegExp(`#define NODE_${name}_VERSION (\\d+)`))?.[1]
  return process.version === `v${part('MAJOR')}.${part('MINOR')}.${part('PATCH')}` ? prefix : undefined
}
