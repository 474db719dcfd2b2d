import { expect, test } from 'vitest'
import { openInboxRig } from '../testing/inbox-rig.ts'

test('an answer of another model than the chosen one names it, in the background too', async () => {
  await using rig = await openInboxRig({})
  await rig.say('fall back')
  await expect.poll(rig.sent).toEqual(['fall back!\n\n(near/small answered, because the chosen model did not.)'])
  await rig.say('hello')
  await expect.poll(async () => (await rig.sent()).at(-1)).toBe('hello!')
  await rig.say('/background fall back')
  await expect.poll(async () => (await rig.sent()).at(-1)).toMatch(/fall back!\n\n\(near\/small answered/)
})
