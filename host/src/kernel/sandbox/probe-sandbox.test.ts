// @module-tag process
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { needs, sayMissing } from '../../../../test/support/needs.ts'
import { systemClock } from '../clock.ts'
import { findBwrap } from './find-bwrap.ts'
import { probeSandbox } from './probe-sandbox.ts'
import { createSandbox } from './sandbox.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A program in the place of bwrap. */
async function stub(script: string): Promise<string> {
  const file = join(folder, 'bwrap')
  await writeFile(file, `#!/bin/sh\necho "$@" >>${folder}/calls\n${script}\n`)
  await chmod(file, 0o755)
  return file
}
const probe = (bwrap: string) => probeSandbox({ clock: systemClock, platform: 'linux', bwrap })

test('the bwrap of this machine is tried out', needs(findBwrap() ? undefined : sayMissing('bwrap', 'bubblewrap')), async () => {
  const level = await probeSandbox({ clock: systemClock })
  expect(level).toMatchObject(level.works ? { kind: 'bwrap', program: findBwrap() } : { reason: expect.any(String) })
})

test.each([
  ['bwrap: No permissions to create new namespace, likely because …', 'user namespaces are forbidden here'],
  ['bwrap: Creating new namespace failed: Operation not permitted', 'user namespaces are forbidden here'],
  ['bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)', 'off or used up'],
  ['bwrap: setting up uid map: Operation not permitted', 'too few rights'],
  ['bwrap: setting up uid map: Permission denied', 'AppArmor'],
  ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', 'AppArmor'],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'masks /proc'],
  ['bwrap: Failed to make / slave: Permission denied', 'a security module'],
  ['bwrap: the moon is full', 'bwrap says "the moon is full"'],
])('%s', async (said, words) => {
  const level = await probe(await stub(`echo "${said}" >&2; exit 1`))
  expect(level).toMatchObject({ works: false, reason: expect.stringContaining(words), fix: expect.stringMatching(/./) })
})

test('root without the right to mount gets a user namespace', async () => {
  const program = await stub('case "$1" in --unshare-user) exit 0;; esac; echo "bwrap: Creating new namespace failed" >&2; exit 1')
  expect(await probe(program)).toEqual({ works: true, kind: 'bwrap', program, flags: ['--unshare-user'] })
})

test('a program that does not end is given up', async () => {
  const clock = { now: () => 0, sleep: async () => undefined }
  const level = await probeSandbox({ clock, platform: 'linux', bwrap: await stub('exec sleep 300') })
  expect(level).toMatchObject({ works: false, reason: expect.stringContaining('no end within 5 s') })
})

test('a machine is tried out once', async () => {
  const bwrap = await stub('exit 0')
  const sandbox = createSandbox({ clock: systemClock, platform: 'linux', bwrap })
  const [first, second] = await Promise.all([sandbox.level(), sandbox.level()])
  expect(second).toBe(first)
  expect((await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')).toHaveLength(1)
})
