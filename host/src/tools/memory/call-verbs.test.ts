import type { Call } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { CallOther, ToolTurn } from '../tool-turn.ts'
import { type CallVerbsOptions, createCallVerbs } from './call-verbs.ts'
import { profileOwner } from './owner.ts'

const call = { id: 'c', signal: new AbortController().signal, deadline: 1 } as unknown as Call

/** The verbs of a plugin that declares these, and what is asked of memory, skills and earlier sessions. */
function verbs(declared: readonly string[], turn: Partial<ToolTurn> = {}, callOther?: CallOther) {
  const heard: unknown[] = []
  const answer = (name: string) => async (asked: object) => {
    heard.push({ [name]: asked })
    return []
  }
  const options = {
    jobs: ({ owner }: ToolTurn) => ({ list: answer(`jobs of ${owner}`) }),
    skills: { change: answer('skills') },
    past: { latest: answer('latest'), find: answer('find'), read: answer('read') },
    memory: {
      change: async (owner: string, change: unknown, { session, ask }: { session: string; ask?: (change: never) => Promise<string> }) => {
        heard.push({ owner, session, answer: ask ? await ask(change as never) : 'nobody is asked' })
        return {}
      },
      recall: async (owner: string, query: string) => {
        heard.push({ owner, query })
        return []
      },
    },
  } as unknown as CallVerbsOptions
  const contribution = { plugin: { manifest: { permissions: declared.length === 0 ? {} : { host: { value: declared } } } } }
  const full = { owner: 'ann', session: 'ses', canAnswer: true, signal: new AbortController().signal, ...turn } as ToolTurn
  return { heard, ...createCallVerbs(options)(contribution as never, full, call, callOther) }
}

test('a tool gets the verbs that its plugin declares', () => {
  expect(Object.keys(verbs([]))).toEqual(['heard'])
  expect(Object.keys(verbs(['memory']))).toEqual(['heard', 'memory'])
  expect(Object.keys(verbs(['sessions']))).toEqual(['heard', 'sessions'])
  expect(Object.keys(verbs(['jobs']))).toEqual(['heard', 'jobs'])
  expect(Object.keys(verbs(['skills.write']))).toEqual(['heard', 'skills'])
})

test('child agents are there where the turn has them, and remember nothing themselves', async () => {
  const ran: unknown[] = []
  const hear = async (...given: unknown[]) => void ran.push(given)
  const agents = { run: hear, start: hear, settled: async () => undefined } as never
  expect(Object.keys(verbs(['agents.run']))).toEqual(['heard'])
  await verbs(['agents.run'], { agents }).agents?.run([{ goal: 'g' }])
  await verbs(['agents.run'], { agents }).agents?.start([{ goal: 'h' }])
  expect(ran).toEqual([[[{ goal: 'g' }], call], [[{ goal: 'h' }]]])
  const { heard, memory } = verbs(['memory'], { isChild: true })
  await expect(memory?.change({ action: 'add', target: 'memory', text: 'x' })).rejects.toThrow('a child agent remembers nothing')
  expect(heard).toEqual([])
})

test('earlier sessions are those of the owner of the turn, and so many at a time', async () => {
  const { heard, sessions } = verbs(['sessions'])
  await sessions?.find({ most: 500 } as never)
  await sessions?.find({ query: 'tea', most: 0 } as never)
  await sessions?.read({ session: 's', from: -3, most: 2.7 } as never)
  expect(heard).toEqual([
    { latest: { owner: 'ann', most: 100 } },
    { find: { owner: 'ann', query: 'tea', most: 1 } },
    { read: { owner: 'ann', session: 's', from: 1, most: 2 } },
  ])
})

const change = { action: 'add', target: 'memory', text: 'Tea.' } as const

test.each([
  ['the owner of the profile who is here', { owner: profileOwner, approve: async () => 'once' }, 'yes'],
  ['one who says no', { owner: profileOwner, approve: async () => 'deny' }, 'no'],
  [
    'one who does not answer',
    { owner: profileOwner, approve: () => Promise.reject(fail('TIMED_OUT', { what: 'x', ms: 1 } as never)) },
    'nobody',
  ],
  ['one who is away', { owner: profileOwner, canAnswer: false }, 'nobody is asked'],
  ['somebody else', { owner: 'ann' }, 'nobody is asked'],
])('a change of what is remembered by %s', async (_who, turn, answer) => {
  const { heard, memory } = verbs(['memory'], turn as never)
  await memory?.change(change)
  expect(heard).toEqual([{ owner: turn.owner, session: 'ses', answer }])
})

test('the question says what is to be remembered', async () => {
  const asked: unknown[] = []
  const approve = async (question: unknown) => {
    asked.push(question)
    return 'once'
  }
  const { memory } = verbs(['memory'], { owner: profileOwner, approve } as never)
  await memory?.change(change)
  await memory?.change({ action: 'remove', target: 'user', old: 'Ann' })
  await memory?.change({ action: 'replace', target: 'user', old: 'Ann', text: 'Eve' })
  expect(asked).toEqual(
    ['add to memory: Tea.', 'remove from user: Ann', 'replace in user: Ann → Eve'].map((subject) => ({
      ...{ tool: 'memory', subject, reason: expect.stringContaining('memory.write_approval'), choices: ['once', 'deny'] },
    })),
  )
})

test('an interruption while a person is asked is one, and another fault stays itself', async () => {
  const stop = new AbortController()
  const approve = async () => {
    stop.abort()
    throw new Error('gone')
  }
  const interrupted = verbs(['memory'], { owner: profileOwner, approve, signal: stop.signal } as never)
  await expect(interrupted.memory?.change(change)).rejects.toMatchObject({ code: 'INTERRUPTED' })
  const broken = verbs(['memory'], { owner: profileOwner, approve: () => Promise.reject(new Error('odd')) } as never)
  await expect(broken.memory?.change(change)).rejects.toThrow('odd')
})

test('what is recalled is the owner’s', async () => {
  const { heard, memory } = verbs(['memory'])
  await memory?.recall('tea')
  expect(heard).toEqual([{ owner: 'ann', query: 'tea' }])
})

test('jobs and skills are those of the owner of the turn', async () => {
  const { heard, jobs, skills } = verbs(['jobs', 'skills.write'])
  await jobs?.list()
  await skills?.change({ action: 'delete', skill: 'tea' })
  expect(heard).toMatchObject([{ 'jobs of ann': undefined }, { skills: { action: 'delete', skill: 'tea' } }])
})

test('a tool that may call others is told what they say, and their data where there is some', async () => {
  const made: unknown[] = []
  const other: CallOther = async (asked) => {
    made.push(asked)
    const outcome = { id: 'x', name: asked.name, ok: asked.name !== 'broken', text: `${asked.name} said` }
    return { outcome, durationMs: 1, ...(asked.name === 'search' ? { data: { hits: 2 } } : {}) }
  }
  expect(Object.keys(verbs([], {}, other))).toEqual(['heard'])
  expect(Object.keys(verbs(['tools.call']))).toEqual(['heard'])
  const { tools } = verbs(['tools.call'], {}, other)
  expect(await tools?.call('search', { query: 'tea' })).toEqual({ ok: true, text: 'search said', data: { hits: 2 } })
  expect(await tools?.call('broken', {})).toEqual({ ok: false, text: 'broken said' })
  expect(made[0]).toEqual({ name: 'search', args: { query: 'tea' }, signal: call.signal })
})
