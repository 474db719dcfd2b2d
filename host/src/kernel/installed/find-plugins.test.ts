import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { findPlugins } from './find-plugins.ts'

test('plugins are found by their folders, in order; what is hidden, set aside or no folder is none', () => {
  using home = openTestHome()
  const at = (path: string): string => join(home.home, path)
  for (const path of ['bundled/b/two', 'bundled/b/one', 'bundled/a/three', 'bundled/a/.hidden', 'bundled/a/old.off', 'local/y', 'local/x'])
    mkdirSync(at(path), { recursive: true })
  for (const path of ['bundled/file', 'bundled/a/file', 'local/file']) writeFileSync(at(path), '')
  symlinkSync(at('bundled/b/one'), at('local/linked'))
  const lock = { plugins: new Map(), broken: new Map(), damaged: undefined }
  const found = (local: string) =>
    findPlugins({ bundled: at('bundled'), local: at(local), lockFile: at('lock.json'), lock: lock as never }).map(
      ({ folder, source }) => `${source} ${folder.slice(home.home.length + 1)}`,
    )
  const bundled = ['bundled bundled/a/three', 'bundled bundled/b/one', 'bundled bundled/b/two']
  expect(found('local')).toEqual([...bundled, 'link local/linked', 'local local/x', 'local local/y'])
  expect(found('absent')).toEqual(bundled)
})

test('a folder of plugins that cannot be looked into is an error, and no empty one', () => {
  const file = fileURLToPath(import.meta.url)
  const lock = { plugins: new Map(), broken: new Map(), damaged: undefined }
  expect(() => findPlugins({ bundled: file, local: file, lockFile: '/none/plugins.lock.json', lock })).toThrow(
    expect.objectContaining({ code: 'ENOTDIR' }),
  )
})
