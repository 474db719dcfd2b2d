import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { SlashCommand } from '#commands/slash.ts'
import { openInboxRig, type RigOptions } from '../testing/inbox-rig.ts'
import { type AnswerCommandOptions, answerCommand } from './answer-command.ts'

type Run = NonNullable<RigOptions['commands']>['run']

const about = { aliases: ['r'], args: '[what]', summary: 'Do it', surfaces: ['cli', 'gateway'] }
const list = [
  { ...about, name: 'roll' },
  { ...about, name: 'recap', aliases: [], prompt: 'Sum up $& {args}' },
  { ...about, name: 'paint', aliases: [], surfaces: ['cli'] },
]
const openRig = (run: Run = async (_set, { name, args }) => `${name} ${args}`, more: RigOptions = {}) =>
  openInboxRig({ ...more, commands: { list, run } })
const texts = (rig: { readonly asked: readonly { readonly input: readonly unknown[] }[] }) => rig.asked.map(({ input }) => input)

test('a command of a plugin is answered by the plugin, under its own name', async () => {
  await using rig = await openRig()
  await rig.say('/r 20')
  await rig.say('/roll')
  await expect.poll(rig.sent).toEqual(['roll 20', 'roll'])
  expect(rig.asked).toEqual([])
})

test('a command with a prompt is what its writer says to the agent', async () => {
  await using rig = await openRig()
  await rig.say('/recap the day')
  await expect.poll(rig.sent).toEqual(['Sum up $& the day!'])
  expect(texts(rig)).toEqual([[{ type: 'text', text: 'Sum up $& the day' }]])
})

const skills = {
  known: () => ['tea', 'soup', 'stop', 'roll'].map((name) => ({ name, description: '', offered: true })),
  view: async ({ name }: { readonly name: string }) => `How ${name} goes.`,
  bundle: async () => Promise.reject(new Error('none')),
}

test('skills are followed in the turn of the text behind them, beside what the platform instructs', async () => {
  await using rig = await openRig(undefined, { skills })
  await rig.say('/tea /soup make it', { instructions: 'Be brief.' })
  await expect.poll(rig.sent).toEqual(['make it!'])
  const instructions = 'Follow these skills.\n\n# tea\n\nHow tea goes.\n\n# soup\n\nHow soup goes.\n\nBe brief.'
  expect(rig.asked).toMatchObject([{ input: [{ type: 'text', text: 'make it' }], instructions }])
  await rig.say('and then?')
  await expect.poll(() => rig.asked.length).toBe(2)
  expect(rig.asked[1]?.instructions).toBeUndefined()
})

test('a skill waits for its turn, and is only for those who may give its command', async () => {
  const variables = { TALK_BUSY_INPUT_MODE: 'queue', TALK_ALLOW_ADMIN_FROM: 'bea', TALK_USER_ALLOWED_COMMANDS: 'tea' }
  await using rig = await openRig(undefined, { skills, variables })
  await rig.say('wait')
  await expect.poll(() => rig.asked.length).toBe(1)
  await rig.say('/tea now')
  await rig.say('/teaa now')
  await expect.poll(rig.sent).toEqual([expect.stringContaining('/teaa')])
  rig.goOn()
  await expect.poll(rig.sent).toEqual([expect.stringContaining('/teaa'), 'wait!', 'now!'])
  await rig.say('/soup now')
  await expect.poll(rig.sent).toContainEqual('/soup is not for you here. /help lists what is for you.')
})

test('one with a prompt waits for its turn, one without passes by', async () => {
  await using rig = await openRig(undefined, { variables: { TALK_BUSY_INPUT_MODE: 'queue' } })
  await rig.say('wait')
  await expect.poll(() => rig.asked.length).toBe(1)
  await rig.say('/recap it')
  await rig.say('/roll 6')
  await expect.poll(rig.sent).toEqual(['roll 6'])
  rig.goOn()
  await expect.poll(rig.sent).toEqual(['roll 6', 'wait!', 'Sum up $& it!'])
})

test('a command for the terminal does not exist on a platform, and is not asked of the model', async () => {
  await using rig = await openRig()
  await rig.say('/paint')
  await expect.poll(rig.sent).toEqual([expect.stringContaining('/paint is for the terminal only.')])
})

test('/stop ends a command that takes long, and it is among what goes on', async () => {
  let begun = false
  await using rig = await openRig(async (_set, _request, signal) => {
    begun = true
    return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  await rig.say('/roll')
  await expect.poll(() => begun).toBe(true)
  await rig.say('/status')
  await rig.say('/stop')
  const said = expect.arrayContaining([
    expect.stringContaining('In the background I have been working'),
    'Stopped.',
    '/roll was interrupted; its outcome is unknown. It was not run again.',
  ])
  await expect.poll(rig.sent).toEqual(said)
})

test('one that fails is answered with a sentence', async () => {
  await using rig = await openRig(() => Promise.reject(fail('USAGE', { problem: 'No sides.', try: '/roll 6' })))
  await rig.say('/roll many')
  await expect.poll(rig.sent).toEqual(['No sides. Try: /roll 6'])
})

test('users may give what the owner names, and /help lists it', async () => {
  const variables = { TALK_ALLOW_ADMIN_FROM: 'root', TALK_USER_ALLOWED_COMMANDS: 'recap' }
  await using rig = await openRig(undefined, { variables })
  await rig.say('/roll')
  await expect.poll(rig.sent).toEqual(['/roll is not for you here. /help lists what is for you.'])
  await rig.say('/help')
  await expect.poll(async () => (await rig.sent()).at(-1)).toContain('/recap [what]: Do it')
  expect((await rig.sent()).at(-1)).not.toContain('/roll')
})

test('one that breaks is answered without what broke', async () => {
  await using rig = await openRig(() => Promise.reject(new Error('/home/ann/secret.js:7')))
  await rig.say('/roll')
  await expect.poll(rig.sent).toEqual([expect.stringMatching(/^Something inside agent failed/)])
  expect((await rig.sent())[0]).not.toContain('secret')
})

test('a command that the owner allows under one of its names may be given', async () => {
  await using rig = await openRig(undefined, { variables: { TALK_ALLOW_ADMIN_FROM: 'root', TALK_USER_ALLOWED_COMMANDS: 'reset' } })
  await rig.say('/new')
  await rig.say('/roll')
  await expect.poll(rig.sent).toEqual([expect.stringMatching(/new session/i), '/roll is not for you here. /help lists what is for you.'])
})

test.each(['/model openai', '/update', '/update check'])('%s is for admins', async (line) => {
  await using rig = await openRig(undefined, { variables: { TALK_ALLOW_ADMIN_FROM: 'root', TALK_USER_ALLOWED_COMMANDS: '*' } })
  await rig.say(line)
  const [name] = line.split(' ')
  await expect
    .poll(rig.sent)
    .toEqual([`${name} is for admins here, who stand in allow_admin_from of the settings. /help lists what is for you.`])
})

test('a session gets a title once it has begun', async () => {
  await using rig = await openRig()
  await rig.say('/title Journey')
  await expect.poll(rig.sent).toEqual(['There is no session yet: say something first.'])
})

test('/tools is for admins, and lists the tools', async () => {
  await using rig = await openRig(undefined, { variables: { TALK_ALLOW_ADMIN_FROM: 'ann', TALK_ALLOWED_USERS: 'ann,bob' } })
  await rig.say('/tools')
  await rig.say('/tools', { conversation: { id: 'bob', kind: 'dm' }, sender: { id: 'bob', name: 'Bob', isBot: false } })
  await expect
    .poll(rig.sent)
    .toEqual([
      'There are no tools.',
      '/tools is for admins here, who stand in allow_admin_from of the settings. /help lists what is for you.',
    ])
})

test('a command reaches the session of its conversation; a new one interrupts when it is done, and what it says stays', async () => {
  const did: unknown[] = []
  const end = async (id: string): Promise<void> => {
    await new Promise(setImmediate)
    did.push(`ended ${id}`)
  }
  const given = (run: SlashCommand['run']) =>
    answerCommand({ command: { ...about, surfaces: ['gateway'], name: 'x', run }, args: '' }, {
      services: { sessions: { byKey: async (key: string) => ({ id: `session of ${key}` }), end } },
      ...{ sessionKey: 'key', chat: { mayUse: () => true }, reasoning: { of: async () => ({ effort: 'high', show: true }) } },
      interrupt: (how: object) => did.push(how),
    } as unknown as AnswerCommandOptions)
  const outcome = await given(async ({ door }) => {
    door.say(`${door.session()} ${door.keepTitle('x')} ${door.reasoning().effort}`)
    await door.startNew(undefined)
    did.push('begun')
    door.interrupt()
    throw fail('USAGE', { problem: 'No sides.', try: '/roll 6' })
  })
  expect(outcome).toStrictEqual({ said: 'session of key false high\nNo sides. Try: /roll 6' })
  expect(did).toEqual(['ended session of key', 'begun', { endSession: false }, { endSession: true }])
  await expect(given(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})
