import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { talkSpec } from '../testing/talk.ts'
import { defaultLockFolder } from './credential-lock.ts'
import { lockPlatform } from './lock-platform.ts'

let locks: string
beforeEach(() => {
  locks = mkdtempSync(join(tmpdir(), 'agent-locks-'))
})
afterEach(() => rmSync(locks, { recursive: true }))

const lock = (singletonLock: string | undefined, variables: Readonly<Record<string, string>>) =>
  lockPlatform(
    { home: { path: '/home/one' }, loaded: { environment: openEnvironment(variables, {}, [{ name: 'TALK_TOKEN', secret: true }]) }, locks },
    { id: 'talk', spec: talkSpec(singletonLock === undefined ? {} : { singletonLock }) },
  )

test('a credential is locked where the manifest names one and it is set, and no longer than wanted', () => {
  const unlock = lock('TALK_TOKEN', { TALK_TOKEN: 'secret' })
  expect(readdirSync(locks)).toEqual([expect.stringMatching(/^talk-[0-9a-f]{64}\.json$/)])
  unlock()
  expect(readdirSync(locks)).toEqual([])
  for (const [name, variables] of [
    ['TALK_TOKEN', {}],
    ['TALK_TOKEN', { TALK_TOKEN: '' }],
    [undefined, { TALK_TOKEN: 'secret' }],
  ] as const)
    lock(name, variables)
  expect(readdirSync(locks)).toEqual([])
})

test('two credentials are two locks', () => {
  for (const TALK_TOKEN of ['one', 'two']) lock('TALK_TOKEN', { TALK_TOKEN })
  expect(readdirSync(locks)).toHaveLength(2)
})

test('all gateways of a user look in one place', () => {
  expect(defaultLockFolder()).toBe(join(homedir(), '.cache', 'agent', 'locks'))
})
