import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface NativeOptions {
  /** Where cached native modules lie; absent: `~/.cache/agent/native`. */
  readonly folder?: string | undefined
  /** Version of better-sqlite3; absent: the installed one. */
  readonly version?: string
}

/** Path of the cached native module of SQLite for this very Node; undefined: the package's own build. */
export function nativeBinding({ folder, version = installedVersion() }: NativeOptions): string | undefined {
  const path = join(folder ?? join(homedir(), '.cache', 'agent', 'native'), nativeFileName('better-sqlite3', version))
  return existsSync(path) ? path : undefined
}

/** `<name>-<version>-<abi>-<platform>-<arch>-<libc>-<build>.node`, as `host/install/native.mjs` writes it. */
export function nativeFileName(name: string, version: string): string {
  return `${name}-${version}-${process.versions.modules}-${process.platform}-${process.arch}-${libc()}-2.node`
}

function installedVersion(): string {
  const manifest = createRequire(import.meta.url)('better-sqlite3/package.json') as { readonly version: string }
  return manifest.version
}

function libc(): string {
  if (process.platform !== 'linux') return 'none'
  // The loader's name stands at the beginning of the program; asking `process.report` for it takes 5 ms.
  const start = readStart(process.execPath)
  if (start.includes('ld-musl-')) return 'musl'
  if (start.includes('ld-linux')) return 'glibc'
  const report = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

function readStart(path: string): string {
  const bytes = Buffer.alloc(2048)
  const file = openSync(path, 'r')
  try {
    return bytes.toString('latin1', 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}
