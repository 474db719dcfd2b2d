import { expect, test } from 'vitest'
import type { PlatformForm } from '#gateway/setup/platform-form.ts'
import { describeAccess } from './describe-access.ts'

const formOf = (spec: object): PlatformForm =>
  ({ id: 'talk', spec, access: { allowed: 'TALK_ALLOWED_USERS', everybody: 'TALK_ALLOW_ALL_USERS', home: 'TALK_HOME' } }) as PlatformForm

test('who gets in is told by what is set', () => {
  const say = (spec: object, ...set: readonly string[]) => describeAccess(formOf(spec), (name) => set.includes(name)).join('\n')
  const pairing = { gate: 'sender', unknownSenders: 'pair' }
  expect(say(pairing)).toMatch(/gets a code, and agent pairing approve talk CODE[\s\S]*platforms\.talk\.group_allow_from/)
  expect(say({ ...pairing, unknownSenders: 'ignore' })).toMatch(/^Nobody may write to it yet: list people in TALK_ALLOWED_USERS/)
  expect(say(pairing, 'TALK_ALLOWED_USERS')).toMatch(/^In channels and groups/)
  expect(say(pairing, 'TALK_ALLOW_ALL_USERS')).toBe('')
  expect(say({ ...pairing, gate: 'source' })).toBe('')
})
