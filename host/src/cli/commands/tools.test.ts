import { expect, test } from 'vitest'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('the doors with fewer toolsets are listed, and no other ones', async () => {
  using home = openTestHome()
  const { platforms } = JSON.parse((await runHere(home, ['tools', '--json'])).out) as {
    readonly platforms: readonly { readonly id: string }[]
  }
  expect(platforms.map(({ id }) => id)).toEqual(['cron', 'webhook'])
})
