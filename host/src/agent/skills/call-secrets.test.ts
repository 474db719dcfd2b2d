import type { ToolManifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { formatFollowed, formatSkill } from '#skills/secrets/followed.ts'
import type { Cleared } from '#tools/approvals/approvals.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import { createCallSecrets } from './call-secrets.ts'

const ownedBy = (...host: readonly string[]): Contribution<'toolset'> =>
  ({ plugin: { manifest: { permissions: { host: { value: host } } } } }) as unknown as Contribution<'toolset'>
const terminal = { name: 'terminal', guards: [{ as: 'command', argument: 'command' }] } as unknown as ToolManifest
const view = { name: 'skill_view', guards: [] } as unknown as ToolManifest
const turnOf = (turn: string, instructions?: string): ToolTurn => ({ turn, workspace: '/w', instructions }) as ToolTurn

function openStage() {
  const secrets = createCallSecrets(async ({ loaded }) => (loaded.has('tea') ? { TEA_KEY: 'k' } : undefined), {
    view: async ({ name }) => `About ${name}.`,
  })
  const cleared = { args: { command: 'bash x.sh' } } as unknown as Cleared
  const start = async (turn: ToolTurn, owner = ownedBy('sandbox')) => (await secrets.of(owner, terminal, cleared, turn)).secrets?.TEA_KEY
  const read = (turn: ToolTurn, args: object = { name: 'tea' }, owner = ownedBy('skills')): void =>
    secrets.answered(owner, view, args as Parameters<typeof secrets.answered>[2], turn)
  return { start, read }
}

test('a turn that has read the skill gets its secrets for commands, and only for those that run in the sandbox of the host', async () => {
  const { start, read } = openStage()
  read(turnOf('a'))
  expect([await start(turnOf('a')), await start(turnOf('b')), await start(turnOf('a'), ownedBy())]).toEqual(['k', undefined, undefined])
})

test.each([
  ["another plugin's tool of the same name", { name: 'tea' }, ownedBy('sandbox')],
  ['a look at another file of it', { name: 'tea', file: 'more.md' }, ownedBy('skills')],
])('%s has not read a skill', async (_what, args, owner) => {
  const { start, read } = openStage()
  read(turnOf('a'), args, owner)
  expect(await start(turnOf('a'))).toBeUndefined()
})

test('of the turns the last two hundred are known', async () => {
  const { start, read } = openStage()
  for (let at = 0; at <= 200; at++) read(turnOf(`turn-${at}`))
  expect([await start(turnOf('turn-0')), await start(turnOf('turn-1'))]).toEqual([undefined, 'k'])
})

test('a turn that hears the text of a skill has read it, and one that hears its name alone has not', async () => {
  const { start } = openStage()
  const follow = (text: string): string => formatFollowed([formatSkill('tea', text)])
  expect([await start(turnOf('a', follow('About tea.'))), await start(turnOf('b', follow('Whatever.')))]).toEqual(['k', undefined])
})
