import { expect, test } from 'vitest'
import { askerIn } from './cron-command.ts'
import type { SlashDoor } from './slash.ts'

test.for([
  ['owner', false],
  ['talk:ben', true],
] as const)('what %s asks for is that of a stranger: %s', ([owner, isStranger]) => {
  const people = [
    { platform: 'talk', account: 'bot', conversation: { id: 'ben', kind: 'dm' }, sender: { id: 'ben', isBot: false } },
  ] as const
  const origin = { door: 'talk', key: 'agent:main:talk:dm:bot:ben', people }
  expect(askerIn({ owner, origin } as unknown as SlashDoor)).toEqual({ owner, isStranger, door: 'talk', origin: origin.key, people })
})
