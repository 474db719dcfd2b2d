import { expect, test } from 'vitest'
import { checkManifest } from './check-manifest.ts'

const ask = { name: 'ask', summary: 'Ask', prompt: 'Tell me a story.' }
const roll = { name: 'roll', summary: 'Roll a die' }

const manifest = (set: object): object => ({
  ...{ manifestVersion: 1, id: 'commands-x', name: 'X', description: 'd', version: '1.0.0', license: 'MIT', api: { commands: 1 } },
  contributes: { commands: [{ id: 'x', label: 'X', ...set }] },
})

test('commands are data, code, or both', () => {
  const entry = 'dist/commands.x.js'
  expect(checkManifest('m', manifest({ commands: [ask] })).contributes.commands[0]?.commands).toEqual([
    { ...ask, aliases: [], args: '', surfaces: ['cli', 'gateway'] },
  ])
  for (const commands of [[roll], [ask, roll]]) expect(() => checkManifest('m', manifest({ entry, commands }))).not.toThrow()
})

test.each([
  ['a command that nobody runs', { commands: [roll] }, /x\.roll: needs a prompt, or the set an entry/],
  ['an entry that runs nothing', { entry: 'dist/commands.x.js', commands: [ask] }, /x\.entry: has nothing to run/],
  ['a name twice', { commands: [ask, { ...ask, name: 'tell', aliases: ['ask'] }] }, /commands\.ask: is declared twice/],
  ['a name that not every platform takes', { commands: [{ ...ask, name: 'Ask-Me' }] }, /commands/],
  ['arguments that the prompt drops', { commands: [{ ...ask, args: '<what>' }] }, /x\.ask: needs both or neither/],
  ['arguments that nobody is told of', { commands: [{ ...ask, prompt: 'Tell {args}' }] }, /x\.ask: needs both or neither/],
  ['a variable that is not listed', { env: ['X_KEY'], commands: [ask] }, /names X_KEY, which env does not list/],
])('%s is refused', (_name, set, problem) => {
  expect(() => checkManifest('m', manifest(set))).toThrow(problem)
})

const pack = (skills: readonly object[], api: object = { skills: 1 }): object => ({
  ...manifest({ commands: [ask] }),
  ...{ api, contributes: { skills } },
})

test.each([
  ['a folder of another name', pack([{ id: 'tea', path: 'skills/coffee' }]), /skills\.tea\.path: is skills\/coffee/],
  ['a folder above', pack([{ id: 'tea', path: '../tea' }]), /skills/],
  ['a folder anywhere', pack([{ id: 'tea', path: '/etc/tea' }]), /skills/],
  [
    'a name twice',
    pack([
      { id: 'tea', path: 'a/tea' },
      { id: 'tea', path: 'b/tea' },
    ]),
    /skills\.tea: is declared twice/,
  ],
  ['a pack for no version', pack([{ id: 'tea', path: 'tea' }], {}), /lacks skills: 1/],
])('skills with %s are refused', (_name, written, problem) => {
  expect(() => checkManifest('m', written)).toThrow(problem)
})

test('a skill may lie in the folder of the plugin', () => {
  expect(checkManifest('m', pack([{ id: 'tea', path: 'tea' }])).contributes.skills).toEqual([{ id: 'tea', path: 'tea' }])
})

test('a hook can be filtered by words of its event alone', () => {
  const about = { manifestVersion: 1, id: 'hooks-x', name: 'X', description: 'd', version: '1.0.0', license: 'MIT', api: { hooks: 1 } }
  const listening = (hook: object): object => ({
    ...about,
    contributes: { hooks: [{ id: 'x', label: 'X', entry: 'dist/hooks.x.js', hooks: [hook] }] },
  })
  expect(() => checkManifest('m', listening({ name: 'tool.before', filter: { effect: ['external'] } }))).not.toThrow()
  expect(() => checkManifest('m', listening({ name: 'tool.before', filter: { args: ['x'] } }))).toThrow(
    'hooks.x.tool.before.filter.args: is no field that tool.before can be filtered by: it has turn, session, tool, effect, workspace',
  )
  expect(() => checkManifest('m', listening({ name: 'tool.before', filter: { effect: ['extern'] } }))).toThrow(
    'hooks.x.tool.before.filter.effect: names extern; the effects are none, read, write, external',
  )
})
