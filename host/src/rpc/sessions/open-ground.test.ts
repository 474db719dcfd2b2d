import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { openGround } from './open-ground.ts'

test('a profile that is talked to in the dashboard alone has the skills of the program too', async () => {
  using home = openTestHome()
  rmSync(join(home.home, '.no-bundled-skills'))
  const { environment } = home
  const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
  const ground = await openGround({
    ...{ installRoot, environment, profile: undefined },
    signal: AbortSignal.abort(),
    note: () => undefined,
  })
  try {
    expect(existsSync(join(home.home, 'skills', 'development', 'git-work', 'SKILL.md'))).toBe(true)
  } finally {
    await ground.close()
  }
})
