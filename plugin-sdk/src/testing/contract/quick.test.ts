import { expect, test } from 'vitest'
import type { Manifest } from '../../kinds/manifest.ts'
import { manifests } from '../broken/manifest.ts'
import { box } from '../broken/sound-toolset.ts'
import { openBoxWorld } from '../broken/worlds.ts'
import { openClone } from '../rig/subject.ts'
import { type ToolsetWorld, toolsetContract } from './toolset.ts'

/** What `abort` says of a plugin with these permissions whose world has no call that takes long. */
async function tryAbort(permissions: Manifest['permissions'], more: Partial<ToolsetWorld>): Promise<string | undefined> {
  const { hanging: _, ...rest } = await openBoxWorld()
  const manifest = { ...manifests.toolset, permissions }
  const open = async () => openClone('toolset', box())
  const cases = toolsetContract({
    subject: { kind: 'toolset', manifest, contribution: 'box', place: 'clone', open },
    patienceMs: 500,
    world: async () => ({ ...rest, ...more }),
  })
  return await (cases.find(({ rule }) => rule === 'abort')?.run() ?? Promise.resolve('there is no such rule')).catch(
    (error: Error) => error.message,
  )
}

test('where nothing takes long, nothing has to be given up', async () => {
  expect(await tryAbort({}, {})).toContain('the world of the tests lacks hanging')
  expect(await tryAbort({}, { quick: true })).toBeUndefined()
})

test('what asks the network, a program or a model takes its time, whatever the world says', async () => {
  const reason = 'made up'
  expect(await tryAbort({ net: { value: ['example.org'], reason } }, { quick: true })).toContain('asks for permissions.net')
  expect(await tryAbort({ run: { value: ['ls'], reason } }, { quick: true })).toContain('asks for permissions.run')
  expect(await tryAbort({ host: { value: ['memory', 'models'], reason } }, { quick: true })).toContain('asks for models:')
})
