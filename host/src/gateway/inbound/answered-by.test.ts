import { expect, test } from 'vitest'
import { openInboxRig } from '../testing/inbox-rig.ts'

test('what is to be told with an answer stands below it, in the background too', async () => {
  await using rig = await openInboxRig({})
  await rig.say('fall back')
  await expect.poll(rig.sent).toEqual(['fall back!\n\n(near/small answered.)'])
  await rig.say('hello')
  await expect.poll(async () => (await rig.sent()).at(-1)).toBe('hello!')
  await rig.say('/background fall back')
  await expect.poll(async () => (await rig.sent()).at(-1)).toMatch(/fall back!\n\n\(near\/small answered\.\)/)
})
