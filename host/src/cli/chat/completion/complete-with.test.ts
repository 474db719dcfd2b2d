import { expect, test } from 'vitest'
import { completeWith } from './complete-with.ts'

type Agent = Parameters<typeof completeWith>[0]

const contributions: Readonly<Record<string, readonly object[]>> = {
  platform: [{ id: 'irc' }],
  provider: [{ id: 'far', spec: { defaultModel: 'far-1' } }],
  toolset: [{ id: 'files' }],
}
const skill = (name: string, offered = true) => ({ name, description: `About ${name}.`, offered })
const sessions = [
  { id: 'ses_1', title: 'tea', preview: 'hello', lastAt: 0, model: 'one' },
  { id: 'ses_2', title: null, preview: 'hello', lastAt: 0, model: 'two' },
]
const agent = {
  catalog: { of: (kind: string) => contributions[kind] ?? [] },
  store: { sessions: { list: async () => sessions } },
  skills: {
    known: () => [skill('tea-time'), skill('elsewhere', false), skill('help')],
    index: async () => ({ skills: [skill('tea-time'), skill('elsewhere', false)], broken: [] }),
  },
} as unknown as Agent

const items = async (line: string): Promise<readonly string[]> => (await completeWith(agent, '/')(line))?.items ?? []

test('skills of this place stand beside the commands, and behind one another', async () => {
  expect(await items('/te')).toEqual(['/tea-time '])
  expect(await items('/hel')).toEqual(['/help '])
  expect(await items('/else')).toEqual([])
  expect(await items('/tea-time /te')).toEqual(['/tea-time '])
})

test('arguments of commands are what there is', async () => {
  expect((await items('/resume ')).map((item) => item.trim())).toEqual(expect.arrayContaining(['tea', 'ses_2']))
  expect((await items('/model far ')).map((item) => item.trim())).toEqual(expect.arrayContaining(['far-1', 'one', 'two']))
})
