import { expect, test } from 'vitest'
import { fail } from '../../contract/errors.ts'
import type { Call } from '../../contract/wire.ts'
import type { CommandAnswer, CommandRequest } from '../../kinds/commands.ts'
import { manifestSchema } from '../../kinds/manifest.ts'
import { openClone } from '../rig/subject.ts'
import { type CommandsWorld, commandsContract } from './commands.ts'

const manifest = manifestSchema.parse({
  ...{ manifestVersion: 1, id: 'commands-list', name: 'List', description: 'd', version: '1.0.0', license: 'MIT', api: { commands: 1 } },
  contributes: {
    commands: [
      {
        ...{ id: 'list', entry: 'dist/commands.list.js', label: 'List' },
        commands: [
          { name: 'add', args: '<thing>', summary: 'Add a thing' },
          { name: 'wait', summary: 'Wait' },
          { name: 'tell', summary: 'Tell', prompt: 'Tell me.' },
        ],
      },
    ],
  },
})

const given: CommandsWorld['given'] = [{ name: 'add', args: 'milk' }, { name: 'wait' }]
const world = async (): Promise<CommandsWorld> => ({
  config: {},
  given,
  failing: { name: 'add' },
  slow: { name: 'wait', args: 'long' },
  [Symbol.asyncDispose]: async () => undefined,
})

type Run = (request: CommandRequest, call: Call) => Promise<CommandAnswer>

const sound: Run = async ({ name, args }, { signal }) => {
  if (args === 'long') await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  if (name === 'add' && args === '') throw fail('USAGE', { problem: 'Add what?', try: '/add milk' })
  return { text: `${name} ${args}` }
}

async function findings(opened: object, openWorld = world): Promise<string[]> {
  const entry = { open: async () => opened as { run: Run } }
  const open = async () => openClone('commands', entry)
  const subject = { kind: 'commands', manifest, contribution: 'list', place: 'clone', open } as const
  const found: string[] = []
  for (const { rule, run } of commandsContract({ subject, patienceMs: 500, world: openWorld })) {
    await run().catch((error: Error & { code?: string }) =>
      found.push(error.code === 'CONTRACT_BROKEN' ? rule : `${rule}: ${error.message}`),
    )
  }
  return found
}

test('sound commands keep every rule', async () => {
  expect(await findings({ run: sound })).toEqual([])
})

const otherwise =
  (name: string, answer: unknown): Run =>
  async (request, call) =>
    request.name === name && request.args !== '' && request.args !== 'long' ? (answer as CommandAnswer) : sound(request, call)

test.each([
  ['an answer without a text', otherwise('add', { said: 'milk' }), ['answer']],
  ['an answer that is a text', otherwise('add', 'milk'), ['answer']],
  ['a value that cannot cross', otherwise('add', { text: 'milk', at: new Date() }), ['border']],
  [
    'a failure that is answered',
    async (request: CommandRequest, call: Call) => sound({ ...request, args: request.args || 'x' }, call),
    ['errors'],
  ],
  [
    'a failure without a code',
    async (request: CommandRequest, call: Call) => {
      if (request.name === 'add' && request.args === '') throw new Error('no')
      return sound(request, call)
    },
    ['errors'],
  ],
])('%s breaks its own rule and only that', async (_name, run, rules) => {
  expect(await findings({ run })).toEqual(rules)
})

test('a command that goes on when it is given up breaks the rule of abort', async () => {
  const deaf: Run = async (request, call) => sound(request, { ...call, signal: new AbortController().signal })
  expect(await findings({ run: deaf })).toEqual(['abort'])
})

test('a command that nobody tries is not proved; one with a prompt needs no proof', async () => {
  expect(await findings({ run: sound }, async () => ({ ...(await world()), given: given.slice(1) }))).toEqual(['answer'])
})

test('what is opened has to run commands', async () => {
  expect(await findings({})).toContain('shape')
})
