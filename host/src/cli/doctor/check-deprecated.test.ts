import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Installed } from '#kernel/installed/manifest-file.ts'
import { parseManifest } from '#kernel/installed/parse-manifest.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { checkDeprecated } from './check-deprecated.ts'

const rows = [{ field: 'permissions.run', since: '0.2.0', until: '1.0.0', use: 'permissions.programs' }]
const manifest = {
  ...{ manifestVersion: 1, id: 'x', name: 'X', description: 'd', version: '1.0.0', license: 'MIT', api: {} },
  permissions: { run: { value: ['git'], reason: 'r' } },
}

test.each([
  ['installed', undefined, 'agent plugins update x; where it is still told then, tell its author'],
  ['installed', 'https://x.example', 'agent plugins update x; where it is still told then, tell its author (https://x.example)'],
  ['link', 'https://x.example', /^agent plugins check .* says what to use instead; tell its author \(https:\/\/x\.example\)/],
  ['bundled', undefined, 'agent update'],
] as const)('what to do about a plugin that is %s (%s)', async (source, docsUrl, fix) => {
  using home = openTestHome()
  const root = home.home
  mkdirSync(join(root, 'plugin-sdk'))
  writeFileSync(join(root, 'plugin-sdk', 'deprecated.json'), JSON.stringify({ names: [], fields: rows, contracts: [] }))
  const written = { ...manifest, ...(docsUrl && { docsUrl }) }
  writeFileSync(join(root, 'agent.plugin.json'), JSON.stringify(written))
  const parsed = parseManifest(written)
  if (!parsed.ok) throw new Error('the manifest is wrong')
  const installed = { manifest: parsed.value, root, source, warnings: [] } as Installed
  const broken = { id: 'y', installed: undefined }
  expect(await checkDeprecated(root, { catalog: { plugins: [{ id: 'x', installed }, broken] } })).toEqual([
    {
      ...{ check: 'deprecated', verdict: 'warning', fix: typeof fix === 'string' ? fix : expect.stringMatching(fix) },
      detail: 'x uses permissions.run, which is deprecated since 0.2.0 and served until 1.0.0',
    },
  ])
})
