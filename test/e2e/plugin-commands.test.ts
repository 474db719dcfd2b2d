// @module-tag process
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'
import { addCommands, addPlatform, openReloadGateway } from '../support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let program: BuiltProgram
let home: TestHome
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())
beforeEach(() => {
  home = openTestHome()
  addPlatform(home, 'calm')
})
afterEach(() => home[Symbol.dispose]())

const code = `
export default {
  open: async ({ about, config }) => ({
    run: async ({ name, args, surface }) => {
      if (args === 'break') throw new Error('it rolled off the table')
      if (args === 'die') process.abort()
      return { text: [name, args, surface, about.contribution].join(' ') }
    },
  }),
}`
const roll = { name: 'roll', aliases: ['r'], args: '[sides]', summary: 'Roll a die' }

/** Writes config.yaml: the platform runs in this process, the commands where `isolation` says. */
function switchOn(plugins: readonly string[], isolation: 'inproc' | 'process' = 'inproc'): void {
  const entries = Object.fromEntries(plugins.map((plugin) => [plugin, { enabled: true, isolation }]))
  const platform = { 'platform-calm': { enabled: true, isolation: 'inproc' } }
  home.write(
    'config.yaml',
    JSON.stringify({ plugins: { entries: { ...platform, ...entries } }, platforms: { calm: { allow_from: ['ann'] } } }),
  )
}

test.each(['inproc', 'process'] as const)(
  'a command of a plugin is answered by its code (%s), and a fault names the plugin',
  async (isolation) => {
    addCommands(home, 'dice', [roll], code)
    switchOn(['commands-dice'], isolation)
    await using opened = await openReloadGateway(home, { childProgram: program.file })
    const { talk } = opened.service('calm')
    expect(await talk('/r 6')).toBe('roll 6 gateway dice')
    expect(opened.agent.hosts?.children().map(({ plugins }) => plugins)).toEqual(isolation === 'process' ? [['commands-dice']] : [])
    expect(await talk('/roll break')).toBe('commands-dice failed during /roll: it rolled off the table.')
    expect(await talk('/roll 20')).toBe('roll 20 gateway dice')
  },
)

test('a command that ends its process is answered with a sentence, and the next one has a new process', async () => {
  addCommands(home, 'dice', [roll], code)
  switchOn(['commands-dice'], 'process')
  await using opened = await openReloadGateway(home, { childProgram: program.file })
  const { talk } = opened.service('calm')
  expect(await talk('/roll die')).toContain('commands-dice failed')
  await expect.poll(() => talk('/roll 6'), { timeout: 10_000, interval: 200 }).toBe('roll 6 gateway dice')
})

test('commands come and go with their plugin: in the menu, in /help and as what they do', async () => {
  addCommands(home, 'dice', [{ ...roll, args: '', prompt: 'Roll a die for me.' }])
  switchOn([])
  await using opened = await openReloadGateway(home)
  const calm = opened.service('calm')
  await expect.poll(() => calm.menu).toContain('help')
  expect(calm.menu).not.toContain('roll')
  switchOn(['commands-dice'])
  expect((await opened.gateway.reload()).parts).toMatchObject([{ kind: 'commands', id: 'dice', did: 'opened' }])
  await expect.poll(() => calm.menu).toContain('roll')
  expect(await calm.talk('/help')).toContain('/roll, /r')
  expect(await calm.talk('/roll')).toContain('Roll a die for me.')
  switchOn([])
  await opened.gateway.reload()
  await expect.poll(() => calm.menu).not.toContain('roll')
  expect(await calm.talk('/help')).not.toContain('/roll')
})

test('a name that agent has stays with it', async () => {
  addCommands(home, 'dice', [{ ...roll, aliases: ['version'] }], code)
  switchOn(['commands-dice'])
  await using opened = await openReloadGateway(home)
  const { talk } = opened.service('calm')
  expect(await talk('/version')).toBe('agent 0.0.0')
  expect(await talk('/help')).not.toContain('/roll')
  expect(opened.agent.catalog.plugin('commands-dice')?.reason).toMatchObject({ code: 'command-taken' })
})
