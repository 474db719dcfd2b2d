import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type Panel, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

type Logs = Parameters<Panel['open']>[0]['logs']

async function read(input: PanelRequest['input'], logs?: Logs): Promise<readonly string[]> {
  const { context } = openTestContext({ manifest, contribution: 'logs', config: {} })
  const { run } = await panel.open(logs ? { ...context, logs } : context, call)
  const { lines } = (await run({ method: 'read', input }, call)) as { readonly lines: readonly { readonly text: string }[] }
  return lines.map(({ text }) => text)
}

test('the lines of a file are shown, those of a level, and those with certain words', async () => {
  expect(await read({ file: 'agent', find: '' })).toEqual(['agent: it began', 'agent: it is slow', 'of another program'])
  expect(await read({ file: 'agent', level: 'warn', find: '' })).toEqual(['agent: it is slow'])
  expect(await read({ file: 'agent', find: ' ANOTHER ' })).toEqual(['of another program'])
})

test('words are looked for further back than is shown', async () => {
  const asked: unknown[] = []
  const logs: Logs = {
    read: async (wanted) => {
      asked.push(wanted)
      return { lines: Array.from({ length: wanted.count }, (_, at) => ({ level: 'info', text: `line ${at}` })) }
    },
  }
  expect(await read({ file: 'gateway', find: '' }, logs)).toHaveLength(300)
  expect(await read({ file: 'gateway', find: 'line' }, logs)).toHaveLength(300)
  expect(await read({ file: 'gateway', find: 'line 7' }, logs)).toContain('line 700')
  expect(asked).toEqual([300, 1000, 1000].map((count) => ({ name: 'gateway', count, level: undefined })))
})
