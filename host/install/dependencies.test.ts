import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const { removeUnneeded } = (await import(new URL('./dependencies.mjs', import.meta.url).href)) as { removeUnneeded(root: string): void }

test('what no package of the root leads to goes; what Node finds on the way from one that is needed stays, and so do links', () => {
  const root = mkdtempSync(join(tmpdir(), 'dependencies-'))
  const add = (folder: string, wants: object = {}): void => {
    mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, folder, 'package.json'), JSON.stringify(wants))
  }
  try {
    add('', { dependencies: { a: '1', '@s/kept': '1', absent: '1' } })
    add('node_modules/a', { dependencies: { b: '1' }, peerDependencies: { c: '1' } })
    add('node_modules/a/node_modules/b', { optionalDependencies: { d: '1' } })
    for (const name of ['b', 'c', 'd', '@s/kept', '@s/left', 'left', 'x']) add(`node_modules/${name}`)
    add('workspace')
    mkdirSync(join(root, 'node_modules/@agent'))
    symlinkSync(join(root, 'workspace'), join(root, 'node_modules/@agent/workspace'))
    writeFileSync(join(root, 'node_modules/.mark'), '')
    removeUnneeded(root)
    const left = ['a', 'a/node_modules/b', 'c', 'd', '@s/kept', '@agent/workspace', '.mark', 'b', '@s/left', 'left', 'x']
    expect(left.filter((name) => existsSync(join(root, 'node_modules', name)))).toEqual(left.slice(0, 7))
  } finally {
    rmSync(root, { recursive: true })
  }
})
