import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outerRules } from './ignore-files.ts'

test('rules from above a folder hold in it as they are meant; those of another place do not', () => {
  const root = mkdtempSync(join(tmpdir(), 'rules-'))
  try {
    const folder = join(root, 'packages', 'one')
    mkdirSync(join(root, '.git', 'info'), { recursive: true })
    mkdirSync(folder, { recursive: true })
    const rules = [
      '# comment',
      'node_modules',
      'dist/',
      '/build',
      '/packages/one/out',
      '!packages/one/out/kept',
      '**/tmp/x',
      'packages/two/y',
    ]
    writeFileSync(join(root, '.gitignore'), `${rules.join('\n')}\n`)
    writeFileSync(join(root, 'packages', '.gitignore'), 'one/near\n')
    writeFileSync(join(root, '.git', 'info', 'exclude'), 'mine\n')
    expect(outerRules(folder)).toEqual(['mine', 'node_modules', 'dist/', '/out', '!/out/kept', '**/tmp/x', '/near'])
    expect(outerRules(root)).toEqual(['mine'])
    rmSync(join(root, '.git'), { recursive: true })
    expect(outerRules(folder)).toEqual([])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
