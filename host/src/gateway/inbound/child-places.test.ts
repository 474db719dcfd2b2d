import { expect, test } from 'vitest'
import type { AgentEnd } from '#tools/tool-turn.ts'
import { type InboxRig, openInboxRig } from '../testing/inbox-rig.ts'

const end: AgentEnd = {
  ...{ session: 'ses_left0', status: 'completed', exitReason: 'completed', text: 'Seven files.', model: 'm' },
  ...{ tokens: { input: 3, output: 4 }, apiCalls: 2, durationMs: 1234, toolTrace: [] },
}

const sentSoon = (rig: InboxRig, most: number) => expect.poll(async () => (await rig.sent()).slice(0, most))

function heardIn(rig: InboxRig, index: number): string {
  return rig.asked[index]?.input.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
}

test('what came of a child agent is one turn of its conversation, which the agent answers for the person who asked for it', async () => {
  await using rig = await openInboxRig()
  await rig.say('leave count')
  await sentSoon(rig, 1).toEqual(['leave count!'])
  expect(await rig.open()).toBe(1)
  await rig.left[0]?.tell(end, 3)
  await expect.poll(rig.open).toBe(0)
  const [, told = '{}'] = heardIn(rig, 1).split('\n')
  expect(JSON.parse(told)).toEqual({
    ...{ task: 'count', status: 'completed', summary: 'Seven files.', model: 'm', tokens: { input: 3, output: 4 } },
    ...{ api_calls: 2, duration_seconds: 1.2, session_id: 'ses_left0' },
  })
  expect(rig.asked[1]).toMatchObject({ person: 'ann', spawned: 3, session: rig.asked[0]?.session })
  expect(await rig.sent()).toEqual(['leave count!', `${heardIn(rig, 1)}!`])
  const about = { id: 'child_ses_left0', name: 'subagent.end', origin: 'agent:main:talk:dm:bot:ann' }
  expect(rig.announced).toEqual([{ ...about, at: expect.any(Number), data: { task: 'count', state: 'completed', text: 'Seven files.' } }])
})

test('a row that is claimed again tells notifiers the same event, and one whose person is not let in any more tells none', async () => {
  await using rig = await openInboxRig()
  await rig.say('leave wait')
  await expect.poll(() => rig.asked.length).toBe(1)
  rig.goOn()
  await sentSoon(rig, 1).toEqual(['leave wait!'])
  await rig.left[0]?.tell({ ...end, status: 'timeout', text: '', error: { code: 'TIMED_OUT', params: { what: 'It', ms: 1000 } } }, 1)
  await expect.poll(() => rig.asked.length).toBe(2)
  await rig.inbox.close()
  const claim = await rig.journal.claim('boot')
  expect(claim?.child?.session).toBe('ses_left0')
  if (claim) await rig.inbox.giveUp([claim])
  const [first, second, ...rest] = rig.announced
  expect(first).toMatchObject({ id: 'child_ses_left0', data: { task: 'wait', state: 'timeout', text: expect.stringContaining('It') } })
  expect([second, rest]).toEqual([first, []])
  if (claim)
    await rig.inbox.giveUp([{ ...claim, message: { ...claim.message, sender: { id: 'eve', isBot: false } } }]).catch(() => undefined)
  expect(rig.announced).toHaveLength(2)
})

test('it waits while its conversation is busy, and is no word of the person: neither added to a turn nor gathered with others', async () => {
  await using rig = await openInboxRig({ variables: { TALK_BUSY_INPUT_MODE: 'steer' } })
  await rig.say('leave count')
  await sentSoon(rig, 1).toEqual(['leave count!'])
  await rig.say('wait')
  await expect.poll(() => rig.asked.length).toBe(2)
  await rig.left[0]?.tell(end, 1)
  await rig.say('and this')
  rig.goOn()
  await expect.poll(rig.open).toBe(0)
  expect((await rig.sent()).map((text) => text.replace(/^\[No person[\s\S]*/, 'the child'))).toEqual([
    ...['leave count!', 'wait!', 'the child', 'and this!'],
  ])
})

test('where the model cannot say it the person is told as it is', async () => {
  await using rig = await openInboxRig()
  await rig.say('leave go wrong')
  await expect.poll(() => rig.left.length).toBe(1)
  await rig.left[0]?.tell({ ...end, status: 'failed', text: 'half', error: { code: 'MODEL_TIMEOUT', params: { provider: 'p' } } }, 1)
  await expect.poll(rig.open).toBe(0)
  expect((await rig.sent()).at(-1)).toMatch(/^A child agent has ended \(failed\): go wrong\n\nhalf\n\n/)
})

test('/agents lists what works on behind an answer, and /stop leaves it alone; the end of the gateway stops them and waits until that is written down', async () => {
  await using rig = await openInboxRig()
  await rig.say('leave count')
  await sentSoon(rig, 1).toEqual(['leave count!'])
  await rig.say('/agents')
  await sentSoon(rig, 2).toEqual(['leave count!', '1. count: thinks'])
  await rig.say('/stop')
  await expect.poll(async () => (await rig.sent()).length).toBe(3)
  const [place] = rig.left
  expect(place?.signal.aborted).toBe(false)
  let isClosed = false
  const closing = rig.inbox.close().then(() => (isClosed = true))
  await expect.poll(() => place?.signal.aborted).toBe(true)
  await rig.open()
  expect(isClosed).toBe(false)
  await place?.tell({ ...end, status: 'interrupted' }, 1)
  await closing
  expect(await rig.journal.claim('boot')).toMatchObject({ child: { goal: 'count', end: { status: 'interrupted' } } })
})

test('what a child agent asks is asked in its conversation, and the answer of the person is taken', async () => {
  await using rig = await openInboxRig()
  await rig.say('leave count')
  await sentSoon(rig, 1).toEqual(['leave count!'])
  const about = { tool: 'terminal', subject: 'rm -r x', reason: 'It deletes.' }
  rig.left[0]?.hear({ type: 'approval.request', id: 'q9', ...about, choices: ['once', 'deny'] })
  await expect.poll(async () => (await rig.sent()).at(-1)).toContain('rm -r x')
  await rig.left[0]?.tell(end, 1)
})

test('a child agent that was lost is concluded and told as lost, once', async () => {
  await using rig = await openInboxRig()
  await rig.say('leave count')
  await sentSoon(rig, 1).toEqual(['leave count!'])
  await rig.journal.recover('boot2', { alone: true })
  await rig.say('hello')
  await expect.poll(rig.open).toBe(0)
  expect(JSON.parse(heardIn(rig, 1).split('\n')[1] ?? '')).toMatchObject({ task: 'count', status: 'lost', session_id: 'ses_left0' })
  expect(rig.announced).toMatchObject([{ data: { task: 'count', state: 'lost', text: expect.stringMatching(/^The program ended/) } }])
  await rig.left[0]?.tell(end, 1)
  expect(rig.asked).toHaveLength(3)
})
