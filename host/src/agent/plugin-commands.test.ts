import type { Call, CommandRequest, Context } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { openPluginFolder, type PluginFolder } from '#kernel/testing/plugin-folder.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createPluginCommands, type PluginCommands } from './plugin-commands.ts'

const clock = createFakeClock()
let folder: PluginFolder
let dice: Contribution<'commands'>
let run: (request: CommandRequest, call: Call) => Promise<unknown>
let open: () => Promise<unknown>
let opened: number
let entry: object
let commands: PluginCommands

beforeEach(async () => {
  folder = openPluginFolder()
  const set = { id: 'dice', entry: 'dist/commands.dice.js', label: 'Dice', commands: [{ name: 'roll', summary: 'Roll' }] }
  folder.link({ id: 'commands-dice', api: { commands: 1 }, contributes: { commands: [set] } as never })
  const found = (await folder.load()).find('commands', 'dice')
  if (!found) throw new Error('the set is not ready')
  dice = found
  opened = 0
  entry = createEntry()
  run = async ({ name, args }) => ({ text: `${name} ${args}` })
  open = async () => ({ run })
  commands = createPluginCommands({
    activator: { entry: async <T>() => entry as T },
    openContext: async () => ({ context: { signal: new AbortController().signal } as Context, close: async () => undefined }),
    clock,
    log: silentLog,
  })
})
afterEach(async () => {
  await commands.close()
  folder[Symbol.dispose]()
})

function createEntry(): object {
  return {
    open: () => {
      opened += 1
      return open()
    },
  }
}

const give = (args = '', signal = new AbortController().signal) => commands.run(dice, { name: 'roll', args, surface: 'cli' }, signal)

test('an entry is opened by the first command, once, and answers them all', async () => {
  expect(opened).toBe(0)
  expect(await Promise.all([give('6'), give('20')])).toEqual(['roll 6', 'roll 20'])
  expect(opened).toBe(1)
})

test.each([
  ['an error without a code', () => Promise.reject(new Error('no dice.')), 'commands-dice failed during /roll: no dice.'],
  ['several sentences', () => Promise.reject(new Error('no dice. none.')), 'commands-dice failed during /roll: no dice. none.'],
  ['one from a child', () => Promise.reject(fail('INTERNAL', { detail: 'no dice' })), 'commands-dice failed during /roll: no dice.'],
  ['nonsense', async () => ({ said: 6 }), 'commands-dice failed during /roll: it answered with something that is no text.'],
  ['its own word', () => Promise.reject(fail('USAGE', { problem: 'No sides.', try: '/roll 6' })), 'No sides. Try: /roll 6'],
])('%s becomes one sentence', async (_name, answer, sentence) => {
  run = answer
  await expect(give()).rejects.toMatchObject({ message: sentence })
})

test('a command that hangs and hears nothing is waited for no longer than a minute and a grace', async () => {
  run = () => new Promise(() => undefined)
  const given = give().catch((error: Error) => error.message)
  await expect.poll(() => opened).toBe(1)
  await clock.advance(60_000)
  await clock.advance(2_000)
  expect(await given).toBe('commands-dice failed during /roll: /roll did not finish within 60000 ms.')
})

test('a command that is given up ends with the reason of its caller', async () => {
  run = (_request, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const controller = new AbortController()
  const given = give('', controller.signal)
  await expect.poll(() => opened).toBe(1)
  controller.abort(fail('INTERRUPTED'))
  await expect(given).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('a set that could not be opened is opened again', async () => {
  open = () => Promise.reject(fail('ENV_MISSING', { name: 'DICE_KEY', file: '.env' }))
  await expect(give()).rejects.toMatchObject({ code: 'ENV_MISSING' })
  open = async () => ({ run: async () => ({ text: `${opened}` }) })
  expect(await give()).toBe('2')
  expect(await give()).toBe('2')
})

test('what is replaced ends after what runs of it', async () => {
  let answer: (() => void) | undefined
  run = () => new Promise((resolve) => (answer = () => resolve({ text: 'six' })))
  const heard: string[] = []
  const given = give().then((text) => heard.push(text))
  await expect.poll(() => answer).toBeDefined()
  const retired = commands.retire(dice).then(() => heard.push('retired'))
  answer?.()
  await Promise.all([given, retired])
  expect(heard).toEqual(['six', 'retired'])
})
