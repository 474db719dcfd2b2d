import { expect, test } from 'vitest'
import { noUsage } from '#agent/turn/ask-model.ts'
import { openInboxRig } from '../testing/inbox-rig.ts'

const spec = { capabilities: { react: true, typing: true, endTyping: true } } as const

/** The marks and the signs of writing that a platform is asked for. */
function openRig(variables: Readonly<Record<string, string>> = {}) {
  const seen: string[] = []
  const connection = {
    react: async ({ id }: { readonly id: string }, mood: string) => void seen.push(`${id} ${mood}`),
    typing: async () => void seen.push('typing'),
    endTyping: async () => void seen.push('no typing'),
  }
  return openInboxRig({ spec, variables, connection }).then((rig) => ({ rig, seen }))
}
const marks = (seen: readonly string[]) => seen.filter((what) => !what.endsWith('typing'))

test('a message is marked while it is worked on, and by how that ended', async () => {
  const { rig, seen } = await openRig()
  await using _ = rig
  await rig.say('hello')
  await expect.poll(() => marks(seen)).toEqual(['1 seen', '1 done'])
  await rig.say('wait')
  await expect.poll(() => rig.asked.length).toBe(2)
  await rig.say('/stop')
  await expect.poll(() => marks(seen).slice(2)).toEqual(['2 seen', '2 failed'])
  await expect.poll(() => seen.filter((what) => what.endsWith('typing'))).toEqual(['typing', 'no typing', 'typing', 'no typing'])
})

test('marks and signs of writing are shown where the owner wants them', async () => {
  const marked = await openRig({ TALK_TYPING: 'false' })
  await using _marked = marked.rig
  await marked.rig.say('hello')
  await expect.poll(() => marked.seen).toEqual(['1 seen', '1 done'])
  const typing = await openRig({ TALK_REACTIONS: 'false' })
  await using _typing = typing.rig
  await typing.rig.say('hello')
  await expect.poll(typing.rig.sent).toEqual(['hello!'])
  await expect.poll(() => typing.seen).toEqual(['typing', 'no typing'])
})

test('work in the background is marked, and nobody is shown to write', async () => {
  const { rig, seen } = await openRig()
  await using _ = rig
  await rig.say('/background hello')
  await expect.poll(() => seen).toEqual(['1 seen', '1 done'])
})

test('who wants the answer elsewhere cannot be asked, and what a program is told to be told comes with the turn', async () => {
  await using rig = await openInboxRig()
  await rig.say('ask', { deliver: 'local', instructions: 'Be brief.' })
  await expect.poll(() => rig.asked.length).toBe(1)
  expect(rig.asked[0]).toMatchObject({ canAnswer: false, source: 'talk', instructions: 'Be brief.' })
  await rig.say('plain')
  await expect.poll(() => rig.asked.length).toBe(2)
  expect(rig.asked[1]).toMatchObject({ canAnswer: true, isPublic: true })
  expect(rig.asked[1]).not.toHaveProperty('instructions')
})

test('files are left out while their platform is not connected', async () => {
  await using rig = await openInboxRig({ spec: { capabilities: { fetchMedia: true } } })
  await rig.say('What is on it?', { media: [{ id: '1', kind: 'document', mime: 'text/plain', name: 'list.txt' }] })
  await expect.poll(() => rig.asked.map(({ input }) => input)).toEqual([[{ type: 'text', text: 'What is on it?' }]])
})

test('three crashes on one message are told to its writer, unless they are not let in', async () => {
  await using rig = await openInboxRig()
  // So that it takes up none of them by itself.
  await rig.inbox.close()
  const claims = []
  for (const sender of ['ann', 'eve']) {
    const people = { conversation: { id: sender, kind: 'dm' }, sender: { id: sender, isBot: false } } as const
    await rig.journal.accept('talk', { id: sender, account: 'bot', text: 'crash', addressed: true, ...people })
    const claim = await rig.journal.claim('boot')
    if (claim) claims.push({ ...claim, steps: [{ type: 'child', session: `child of ${sender}` }] as const })
  }
  // A child agent that worked when the last of the crashes came.
  const create = { source: 'subagent', parent: 'talk', provider: 'p', model: 'm', system: '', tools: '[]' }
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }] as const
  await rig.sessions.commit({ session: { id: 'child of ann', create }, messages, usage: noUsage, calls: 0, at: 1 })
  await rig.inbox.giveUp(claims)
  expect(await rig.sessions.find('child of ann')).toMatchObject({ endReason: 'interrupted' })
  await expect.poll(rig.sent).toEqual([expect.stringMatching(/stumble three times/)])
  expect((await rig.journal.failures(9)).map(({ type, error }) => [type, error.code])).toContainEqual(['turn', 'INTERNAL'])
  expect(await rig.open()).toBe(0)
})

test('after its end an inbox lets nothing pass by and takes nothing up', async () => {
  const rig = await openInboxRig()
  await rig.inbox.close()
  await rig.say('hello')
  await rig.say('/version')
  expect([await rig.sent(), await rig.open()]).toEqual([[], 2])
  await rig[Symbol.asyncDispose]()
})

test('a turn that failed is listed with its reason; one that was answered or interrupted is not', async () => {
  await using rig = await openInboxRig()
  await rig.say('go wrong')
  await expect.poll(async () => (await rig.sent()).length).toBe(1)
  await rig.say('hello')
  await rig.say('wait')
  await expect.poll(() => rig.asked.length).toBe(3)
  await rig.say('/stop')
  await expect.poll(async () => (await rig.sent()).length).toBe(4)
  expect(await rig.journal.failures(9)).toMatchObject([
    { type: 'turn', platform: 'talk', conversation: 'ann', text: 'go wrong', sender: 'Ann', error: { code: 'MODEL_BILLING' } },
  ])
})
