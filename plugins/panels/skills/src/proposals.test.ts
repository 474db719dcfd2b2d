import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type Panel, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

type Proposals = Parameters<Panel['open']>[0]['skillProposals']

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

async function open(change: Partial<Proposals> = {}) {
  const { context } = openTestContext({ manifest, contribution: 'skills', config: {} })
  const { run } = await panel.open({ ...context, skillProposals: { ...context.skillProposals, ...change } }, call)
  return (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
}

test('changes that wait are shown with what would be different, made and dropped', async () => {
  const run = await open()
  const tea = { id: 'skl_1', at: 1_700_000_000_000, for: 'you', change: 'make the skill tea' }
  expect(await run({ method: 'proposals' })).toMatchObject({ rows: [tea, { id: 'skl_2' }] })
  expect(await run({ method: 'proposal', item: 'skl_1' })).toEqual({ item: tea })
  expect(await run({ method: 'difference', item: 'skl_1' })).toEqual({
    text: '    --- /dev/null\n    +++ b/skl_1\n    +Boil water.',
  })
  expect(await run({ method: 'approve', item: 'skl_1' })).toEqual({ said: 'It is done: make the skill tea.' })
  expect(await run({ method: 'reject', item: 'skl_2' })).toEqual({ said: 'It is dropped: delete the skill milk.' })
  expect(await run({ method: 'proposals' })).toEqual({ rows: [] })
  for (const method of ['proposal', 'difference', 'approve', 'reject'])
    await expect(run({ method, item: 'skl_1' })).rejects.toMatchObject({ code: 'SKILL_PENDING_UNKNOWN' })
})

test('each button is asked for what it says, and a patch without a line says so', async () => {
  const asked: unknown[] = []
  const run = await open({
    diff: async () => '\n',
    decide: async (wish) => {
      asked.push(wish)
      return 'x'
    },
  })
  expect(await run({ method: 'difference', item: 'a' })).toEqual({ text: 'It would make nothing different.' })
  await run({ method: 'approve', item: 'a' })
  await run({ method: 'reject', item: 'b' })
  expect(asked).toEqual([
    { id: 'a', to: 'approve' },
    { id: 'b', to: 'reject' },
  ])
})
