import type { TurnEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { DoorRequest } from '#agent/turn/prepare-turn.ts'
import { createCall } from '#kernel/calls/call.ts'
import { followSkills } from './follow-skills.ts'

const skills = {
  known: () => [{ name: 'tea', description: '', offered: true }],
  view: async () => 'Boil water.',
  bundle: async () => Promise.reject(new Error('none')),
}

async function ask(...input: DoorRequest['input']): Promise<DoorRequest | undefined> {
  const asked: DoorRequest[] = []
  async function* run(request: DoorRequest): AsyncIterable<TurnEvent> {
    asked.push(request)
    yield { type: 'status', kind: 'notice', text: 'x' }
  }
  const request: DoorRequest = { input, source: 'api', canAnswer: false, instructions: 'Be brief.' }
  const events: TurnEvent[] = []
  for await (const event of followSkills(skills, run)(request, createCall(new AbortController().signal))) events.push(event)
  expect(events).toHaveLength(1)
  return asked[0]
}

test('a skill in front of what is said is followed beside what the door instructs; pictures stay', async () => {
  const picture = { type: 'image', mime: 'image/png', data: 'x' } as unknown as DoorRequest['input'][number]
  expect(await ask({ type: 'text', text: '/tea make it' }, picture)).toMatchObject({
    input: [{ type: 'text', text: 'make it' }, picture],
    instructions: 'Follow these skills.\n\n# tea\n\nBoil water.\n\nBe brief.',
  })
})

test('what begins otherwise is said as it is', async () => {
  for (const text of ['make tea', '/etc/hosts', '/help']) {
    expect(await ask({ type: 'text', text })).toMatchObject({ input: [{ text }], instructions: 'Be brief.' })
  }
})
