import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, openScripted } from '../../../test/support/agents/scripted-agents.ts'
import { openTestHome } from '../../../test/support/test-home.ts'

test('the usual home is guarded where a variable names another', async () => {
  using home = openTestHome()
  const usual = join(home.folder, '.agent')
  mkdirSync(usual)
  writeFileSync(join(usual, '.env'), 'MY_KEY=s3cret-of-the-other\n')
  const steps = [
    call('read_file', { path: join(usual, '.env') }),
    call('write_file', { path: join(usual, '.env'), content: 'x' }),
    { text: 'No.' },
  ]
  await using agents = await openScripted(home, { look: steps })
  const events = await agents.say('look')
  expect(events.filter(({ type }) => type === 'tool.complete')).toMatchObject([
    { ok: false, error: { code: 'PATH_PROTECTED' } },
    { ok: false, error: { code: 'PATH_PROTECTED' } },
  ])
})
