// @module-tag process
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { missingProgram, needs } from '../../../../test/support/needs.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const bwrap = '/usr/bin/bwrap'

const start = `
const { runTypeScript } = await import(${JSON.stringify(join(root, 'host', 'install', 'programs.mjs'))})
process.exitCode = await runTypeScript(${JSON.stringify(root)}, ${JSON.stringify(join(root, 'test', 'faults', 'main.ts'))}, ['kill'])
`

describe('the kill run', needs(missingProgram(bwrap, 'bubblewrap')), () => {
  test('says how to get a server that is missing, and nothing else', () => {
    const empty = ['--die-with-parent', '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/usr/sbin']
    const words = [...empty, process.execPath, '--input-type=module', '--eval', start]
    const { status, stdout, stderr } = spawnSync(bwrap, words, { cwd: root, encoding: 'utf8', timeout: 25_000 })
    expect([status, stdout, stderr]).toEqual([1, '', 'ngircd is missing: apt-get install --no-install-recommends ngircd\n'])
  })
})
