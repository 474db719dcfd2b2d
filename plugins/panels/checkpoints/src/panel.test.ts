import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type PanelAnswers, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
const item = '1 of /work'

async function open(change: (checkpoints: Host) => Partial<Host> = () => ({})) {
  const { context } = openTestContext({ manifest, contribution: 'checkpoints', config: {} })
  let changes = 0
  const checkpoints = { ...context.checkpoints, ...change(context.checkpoints) }
  const { run } = await panel.open({ ...context, checkpoints, changed: () => void changes++ }, call)
  return {
    changes: () => changes,
    run: (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call),
  }
}

type Host = Parameters<typeof panel.open>[0]['checkpoints']

test('checkpoints are listed with their folder and what came after, and found by words', async () => {
  const { run } = await open()
  const before = 'a turn that changed 2 files'
  const row = { folder: '/work', number: 1, at: 1_700_000_000_000, before, session: 'Bread', item }
  expect(await run({ method: 'checkpoints', input: { find: '' } })).toEqual({ rows: [row] })
  expect(await run({ method: 'checkpoints', input: { find: ' BREAD' } })).toEqual({ rows: [row] })
  expect(await run({ method: 'checkpoints', input: { find: 'cake' } })).toEqual({ rows: [] })
  expect(await run({ method: 'state' })).toEqual({
    item: { state: 'made before the agent changes files', count: 1, bytes: 2048, hasSome: true },
  })
})

test('where none are made the page says how they are turned on', async () => {
  const { run } = await open(() => ({ list: async () => ({ enabled: false, bytes: 0, checkpoints: [] }) }))
  expect(await run({ method: 'state' })).toEqual({
    item: { state: 'not made', how: 'agent config set checkpoints.enabled true', count: 0, bytes: 0, hasSome: false },
  })
})

test('a turn that was cut off says so, and one without a title is named by its session', async () => {
  const { run } = await open(({ list }) => ({
    list: async () => {
      const { checkpoints, ...rest } = await list()
      return { ...rest, checkpoints: checkpoints.map((each) => ({ ...each, changed: null, title: '' })) }
    },
  }))
  expect(await run({ method: 'checkpoints', input: { find: '' } })).toMatchObject({
    rows: [{ before: 'a turn that goes on, or was cut off', session: 'ses_1' }],
  })
})

test('what was edited by hand is named, and goes back only by the button that says so', async () => {
  const { run, changes } = await open()
  const warning = '1 file of these; going back takes that too, so it asks for it'
  expect(await run({ method: 'checkpoint', item })).toMatchObject({
    item: { folder: '/work', number: 1, differs: '3 files', warning, isPlain: false, hasEdited: true },
  })
  expect(await run({ method: 'files', item })).toEqual({
    rows: [
      { path: 'notes.md', since: 'it was changed', rollback: 'brings back what it was', by: 'by hand', item: '1 of /work//notes.md' },
      { path: 'bread.md', since: 'it was made', rollback: 'deletes it', by: '', item: '1 of /work//bread.md' },
      { path: 'deep/oven.md', since: 'it was changed', rollback: 'brings back what it was', by: '', item: '1 of /work//deep/oven.md' },
    ],
  })
  await expect(run({ method: 'restore', item })).rejects.toMatchObject({
    code: 'CHECKPOINT_EDITED',
    message: expect.stringMatching(/"notes\.md" changed since .* "Go back, and undo what was edited by hand" goes back all the same/),
  })
  expect(changes()).toBe(1)
  expect(await run({ method: 'restoreEdited', item })).toEqual({
    said: 'Back at checkpoint 1: 2 files restored, 1 deleted. Checkpoint 2 takes this back.',
  })
  expect(await run({ method: 'checkpoint', item })).toMatchObject({
    item: { differs: 'nothing', warning: '', isPlain: false, hasEdited: false },
  })
})

test('one file is looked at and brought back, after which all that is left needs no question', async () => {
  const { run } = await open()
  const file = `${item}//notes.md`
  expect(await run({ method: 'file', item: file })).toMatchObject({ item: { path: 'notes.md', by: 'by hand', differs: true } })
  expect(await run({ method: 'diff', item: file })).toEqual({ text: '```diff\n--- a/notes.md\n+++ b/notes.md\n```' })
  expect(await run({ method: 'restoreFile', item: file })).toMatchObject({ said: expect.stringContaining('1 file restored, 0 deleted') })
  expect(await run({ method: 'file', item: file })).toEqual({ item: { folder: '/work', number: 1, path: 'notes.md' } })
  expect(await run({ method: 'diff', item: file })).toEqual({ text: 'Nothing has changed since.' })
  expect(await run({ method: 'checkpoint', item })).toMatchObject({ item: { isPlain: true, hasEdited: false } })
  expect(await run({ method: 'restore', item })).toMatchObject({ said: expect.stringContaining('1 file restored, 1 deleted') })
})

test('a patch with a fence in it stays inside of the fence around it', async () => {
  const { run } = await open(() => ({ diff: async () => '+````\n+# no heading\n' }))
  const { text } = (await run({ method: 'diff', item: `${item}//bread.md` })) as PanelAnswers['markdown']
  expect(text).toBe('`````diff\n+````\n+# no heading\n`````')
})

test('what is left alone is told, and so is a rollback that changed nothing', async () => {
  const left = ['mine.txt', 'yours.txt']
  const why = '2 files are left as they are, because the agent did not make them or no checkpoint holds what stands there.'
  const some = await open(() => ({ restore: async () => ({ restored: 1, removed: 0, left, undo: 4 }) }))
  expect(await some.run({ method: 'restore', item })).toEqual({
    said: `Back at checkpoint 1: 1 file restored, 0 deleted. Checkpoint 4 takes this back. ${why}`,
  })
  const none = await open(() => ({ restore: async () => ({ restored: 0, removed: 0, left: [] }) }))
  expect(await none.run({ method: 'restore', item })).toEqual({ said: 'Nothing was changed: all is as it was at checkpoint 1.' })
})

test('pruning says how many went', async () => {
  const { run } = await open()
  expect(await run({ method: 'prune' })).toEqual({ said: 'No checkpoint is too old or too much.' })
  const busy = await open(() => ({ prune: async () => 2 }))
  expect(await busy.run({ method: 'prune' })).toEqual({ said: '2 checkpoints are forgotten.' })
})

test('what is gone says so', async () => {
  const { run } = await open()
  await expect(run({ method: 'checkpoint', item: '9 of /work' })).rejects.toMatchObject({ code: 'CHECKPOINT_UNKNOWN' })
  await expect(run({ method: 'files', item: '1 of /elsewhere' })).rejects.toMatchObject({ code: 'CHECKPOINTS_NONE' })
  await expect(run({ method: 'checkpoint', item: 'nonsense' })).rejects.toMatchObject({ code: 'CHECKPOINTS_NONE' })
})

test('what is said of a file holds for no folder', async () => {
  const { run } = await open()
  for (const method of ['diff', 'restoreFile']) await expect(run({ method, item })).rejects.toMatchObject({ code: 'USAGE' })
})
