import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { probeSandbox } from './probe-sandbox.ts'
import { describeSandbox } from './sandbox-level.ts'

test('a machine without bwrap is told what to install', async () => {
  const level = await probeSandbox({ clock: systemClock, platform: 'linux', bwrap: join(tmpdir(), 'no-such-folder', 'bwrap') })
  expect(describeSandbox(level, 'auto')).toBe(
    'Commands run without a sandbox: bwrap is not installed. To get one, install the package bubblewrap of this system.',
  )
  expect(describeSandbox(level, 'required')).toMatch(/^Commands are refused, because terminal.sandbox is required: bwrap is/)
  expect(describeSandbox(level, 'off')).toBe('Commands run without a sandbox, because terminal.sandbox is off.')
})

test('other systems have another sandbox or none', async () => {
  expect(await probeSandbox({ clock: systemClock, platform: 'win32' })).toMatchObject({
    works: false,
    fix: expect.stringContaining('WSL 2'),
  })
  expect(await probeSandbox({ clock: systemClock, platform: 'darwin' })).not.toMatchObject({
    reason: expect.stringContaining('no sandbox for this system'),
  })
})

test('a sandbox that works is named, and it is said of one that nobody has tried', () => {
  const level = { works: true, program: '/usr/bin/x', flags: [] } as const
  expect(describeSandbox({ ...level, kind: 'bwrap' }, 'auto')).toBe('Commands run in a sandbox (bwrap).')
  expect(describeSandbox({ ...level, kind: 'sandbox-exec' }, 'required')).toBe(
    'Commands run in a sandbox (sandbox-exec, which nobody has tried yet).',
  )
})
