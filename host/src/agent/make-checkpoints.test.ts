import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Loaded } from '#config/file/loaded.ts'
import { openHome } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { silentLog } from '#observe/silent-log.ts'
import { openTestHome } from '../../../test/support/test-home.ts'
import { makeCheckpoints } from './make-checkpoints.ts'

test.each([
  [false, undefined, false],
  [false, true, true],
  [true, undefined, true],
  [true, false, true],
])('with checkpoints.enabled %s and the option %s a turn has a checkpoint: %s', async (enabled, checkpoints, isThere) => {
  using test = openTestHome()
  const { environment } = test
  const config = { ...defaultConfig, checkpoints: { ...defaultConfig.checkpoints, enabled } }
  const made = makeCheckpoints({
    options: { environment, workspace: test.work, ...(checkpoints === undefined ? {} : { checkpoints }) },
    ...{ home: openHome({ environment }), loaded: { config } as unknown as Loaded, clock: createFakeClock(), log: silentLog },
  })
  const turn = { workspace: test.work, session: 'ses_1', signal: new AbortController().signal, say: () => undefined }
  expect(made.forTurn(turn) !== undefined).toBe(isThere)
  await made.close()
})
