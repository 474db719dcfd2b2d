// @module-tag process
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProgram, buildChildProgram } from '../../../../test/support/child-program.ts'
import { needs, sayMissing } from '../../../../test/support/needs.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import { readPrograms } from './process-readings.ts'
import { openExtensionRig } from './testing/extension-rig.ts'

let program: BuiltProgram
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())

const start = (command: string, count = 1) =>
  `const { spawn } = await import('node:child_process')
  for (let count = 0; count < ${count}; count++) spawn('/bin/sh', ['-c', ${JSON.stringify(command)}], { stdio: 'ignore', detached: true })
  return 'started'`

describe('a sandboxed child', needs(findBwrap() || process.env.CI ? undefined : sayMissing('bwrap', 'bubblewrap')), () => {
  test.each([
    ['programs without end', start('sleep 300; true', 140), /it started more than 256 programs/],
    [
      'a program that takes all memory',
      start("perl -e 'my $x = q(x) x (450 << 20); sleep 300'"),
      /the programs that it started took \d+ MiB/,
    ],
    [
      'an output without end',
      `setInterval(() => { for (;;) process.stdout.write('x'.repeat(65536)) }, 10); return 'started'`,
      /(did not answer|MiB of memory)/,
    ],
  ])(
    'that starts %s is ended, and leaves nothing',
    async (_name, tool, detail) => {
      const manifest = { permissions: { run: { value: ['sh'], reason: 'made up' } } }
      await using rig = await openExtensionRig({
        ...{ program: program.file, sandbox: 'auto', flags: new Set<string>() },
        plugins: [{ id: 'greedy', tool, manifest, entry: { memory_mb: 100 } }],
      })
      // On a busy machine it is ended before it has started them all.
      expect(await rig.run('greedy').catch(String)).toMatch(new RegExp(`^started$|${detail.source}`))
      const pid = rig.hosts.children()[0]?.pid ?? 0
      await rig.until(() => rig.lines.some((line) => detail.test(line)))
      await rig.until(() => readPrograms(pid).count === 0)
      expect(rig.hosts.status()[0]).toMatchObject({ faults: 1 })
    },
    30_000,
  )
})
