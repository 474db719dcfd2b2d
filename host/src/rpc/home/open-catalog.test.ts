import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseFile } from '#kernel/installed/manifest-file.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { openCatalog } from './open-catalog.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))

test('every manifest is read as the caller wishes', async () => {
  using home = openTestHome()
  const asked: string[] = []
  const { catalog } = await openCatalog({
    ...{ installRoot, environment: home.environment, profile: undefined },
    parseManifest: (file) => {
      asked.push(file)
      return parseFile(file)
    },
  })
  expect(asked).toContain(join(installRoot, 'plugins', 'platforms', 'irc', 'agent.plugin.json'))
  expect(asked).toHaveLength(catalog.plugins.length)
})
