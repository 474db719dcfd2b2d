import { expect, expectTypeOf, test } from 'vitest'
import type { HookAnswer } from '../../contract/hooks.ts'
import type { Hooks, OpenHooks } from '../../kinds/hooks.ts'
import { manifestSchema } from '../../kinds/manifest.ts'
import { openClone } from '../rig/subject.ts'
import { type HooksWorld, hooksContract } from './hooks.ts'

const guard = {
  id: 'guard',
  entry: 'dist/hooks.guard.js',
  label: 'Guard',
  hooks: [{ name: 'tool.before' }, { name: 'turn.before' }, { name: 'session.end' }],
} as const
const manifest = manifestSchema.parse({
  ...{ manifestVersion: 1, id: 'hooks-guard', name: 'Guard', description: 'd', version: '1.0.0', license: 'MIT', api: { hooks: 1 } },
  contributes: { hooks: [guard] },
})

const call = { turn: 't', session: 's', tool: 'terminal', effect: 'write', workspace: '/' } as const
const events: HooksWorld['events'] = [
  { hook: 'tool.before', event: { ...call, args: 'ls' } },
  { hook: 'turn.before', event: { turn: 't', session: 's', source: 'cli', input: [], instructions: undefined } },
  { hook: 'session.end', event: { session: 's', reason: 'new' } },
]
const world = async (): Promise<HooksWorld> => ({
  config: {},
  events,
  refused: { hook: 'tool.before', event: { ...call, args: 'rm' } },
  [Symbol.asyncDispose]: async () => undefined,
})

const sound: OpenHooks['hooks'] = {
  'tool.before': async ({ args }) => (args === 'rm' ? { refuse: 'never' } : undefined),
  'turn.before': async () => ({ instructions: 'Be brief.' }),
  'session.end': async () => undefined,
}

async function findings(hooks: object, open = world): Promise<string[]> {
  const entry = { open: async () => ({ hooks }) } as Hooks
  const subject = { kind: 'hooks', manifest, contribution: 'guard', place: 'clone', open: async () => openClone('hooks', entry) } as const
  const found: string[] = []
  for (const { rule, run } of hooksContract({ subject, patienceMs: 500, world: open })) {
    await run().catch((error: Error & { code?: string }) =>
      found.push(error.code === 'CONTRACT_BROKEN' ? rule : `${rule}: ${error.message}`),
    )
  }
  return found
}

test('sound hooks keep every rule', async () => {
  expect(await findings(sound)).toEqual([])
})

test('settings come with the defaults of the manifest', async () => {
  const configSchema = { type: 'object', properties: { sentence: { type: 'string', default: 'Be brief.' } } }
  const configured = manifestSchema.parse({ ...manifest, contributes: { hooks: [{ ...guard, configSchema }] } })
  const seen: unknown[] = []
  const entry: Hooks = {
    open: async ({ config }) => {
      seen.push(config)
      return { hooks: sound }
    },
  }
  const open = async () => openClone('hooks', entry)
  const subject = { kind: 'hooks', manifest: configured, contribution: 'guard', place: 'clone', open } as const
  await hooksContract({ subject, patienceMs: 500, world })[0]?.run()
  expect(seen).toEqual([{ sentence: 'Be brief.' }])
})

test.each([
  ['one hook too many', { ...sound, 'tool.after': async () => undefined }, ['shape']],
  [
    'a gate that answers something else',
    { ...sound, 'tool.before': async ({ args }: { args: string }) => (args === 'rm' ? { refuse: 'no' } : true) },
    ['answer'],
  ],
  ['a gate that lets everything through', { ...sound, 'tool.before': async () => undefined }, ['refusal']],
  ['a watcher that answers', { ...sound, 'session.end': async () => ({ reason: 'other' }) }, ['answer']],
  ['a change of what is not there', { ...sound, 'turn.before': async () => ({ mood: 'fine' }) }, ['answer']],
  ['a value that cannot cross', { ...sound, 'turn.before': async () => ({ instructions: new Date() }) }, ['border']],
])('%s breaks its own rule and only that', async (_name, hooks, rules) => {
  expect(await findings(hooks)).toEqual(rules)
})

test('a hook that nobody tries is not proved', async () => {
  expect(await findings(sound, async () => ({ ...(await world()), events: events.slice(1) }))).toEqual(['answer'])
})

test('a gate that nobody sees refusing is not proved', async () => {
  expect(await findings(sound, async () => ({ config: {}, events, [Symbol.asyncDispose]: async () => undefined }))).toEqual(['refusal'])
})

test('answers have the type of their kind', () => {
  expectTypeOf<HookAnswer<'tool.before'>>().toEqualTypeOf<{ readonly refuse: string } | undefined>()
  expectTypeOf<HookAnswer<'session.end'>>().toEqualTypeOf<undefined>()
})
