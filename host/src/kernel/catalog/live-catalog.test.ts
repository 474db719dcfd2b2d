import { expect, test } from 'vitest'
import { openPluginFolder, toolsetOf } from '../testing/plugin-folder.ts'
import { createLiveCatalog } from './live-catalog.ts'

test('who holds a live catalog sees the one that came last, by every way to ask', async () => {
  using empty = openPluginFolder()
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  const live = createLiveCatalog(await empty.load())
  const { catalog } = live
  const seen = (): readonly unknown[] => [
    ...[catalog.plugins.length, catalog.contributions().length, catalog.of('toolset').length],
    ...[catalog.find('toolset', 'mine')?.id, catalog.plugin('toolset-mine')?.id],
  ]
  expect(seen()).toEqual([0, 0, 0, undefined, undefined])
  live.replace(await folder.load())
  expect(seen()).toEqual([1, 1, 1, 'mine', 'toolset-mine'])
})
