import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

async function open() {
  const { context } = openTestContext({ manifest, contribution: 'agents', config: {} })
  const { run } = await panel.open(context, call)
  return (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
}

test('child agents stand as a tree, below those whom they work for, and one that works is stopped', async () => {
  const run = await open()
  expect(await run({ method: 'agents' })).toMatchObject({
    rows: [
      { id: 'ses_2', task: 'read all', for: 'A talk', state: 'works', isWorking: true, doing: '' },
      { id: 'ses_3', task: '· read one', for: 'ses_2', doing: 'read_file a.txt (call 1)', tokens: 12, model: 'small' },
      { id: 'ses_1', task: 'count', state: 'completed', isWorking: false },
    ],
  })
  expect(await run({ method: 'stop', item: 'ses_3' })).toEqual({ said: 'It is told to stop.' })
  expect(await run({ method: 'agents' })).toMatchObject({ rows: [{}, { id: 'ses_3', state: 'interrupted', isWorking: false }, {}] })
  await expect(run({ method: 'stop', item: 'ses_1' })).rejects.toMatchObject({ code: 'DELEGATION_ENDED' })
})
