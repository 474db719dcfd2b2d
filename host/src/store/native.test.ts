import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from 'better-sqlite3/package.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { nativeBinding, nativeFileName } from './native.ts'

test('only a cached module for this Node, platform and C library is taken', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-native-'))
  try {
    expect(nativeBinding({ folder, version: '1.2.3' })).toBeUndefined()
    const name = nativeFileName('better-sqlite3', '1.2.3')
    expect(name.includes('-none-')).toBe(process.platform !== 'linux')
    expect(name).toMatch(/^better-sqlite3-1\.2\.3-\d+-[a-z0-9]+-[a-z0-9]+-(glibc|musl|none)-2\.node$/)
    writeFileSync(join(folder, name), '')
    expect(nativeBinding({ folder, version: '1.2.3' })).toBe(join(folder, name))
    expect(nativeBinding({ folder, version: '1.2.4' })).toBeUndefined()
    writeFileSync(join(folder, nativeFileName('better-sqlite3', manifest.version)), '')
    expect(nativeBinding({ folder })).toBe(join(folder, nativeFileName('better-sqlite3', manifest.version)))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
