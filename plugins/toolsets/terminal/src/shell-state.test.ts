import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { createShellStates } from './shell-state.ts'

test('a command starts from what it found, also when another one of its session ends before it has read it', async () => {
  const states = createShellStates()
  const keep = async (variables: string) => {
    const draft = await states.draft()
    writeFileSync(draft.variables, variables)
    writeFileSync(draft.folder, tmpdir())
    await states.keep('ses_1', draft, { folder: true })
  }
  await keep('export a=1')
  const started = await states.of('ses_1', '/')
  await keep('export a=2')
  const next = await states.of('ses_1', '/')
  expect([started, next].map(({ variables = '' }) => readFileSync(variables, 'utf8'))).toEqual(['export a=1', 'export a=2'])
  await states.close()
  expect(existsSync(next.variables ?? '')).toBe(false)
})
