import { expect, test } from 'vitest'
import type { ChildStatus } from '#kernel/extension-host/extension-hosts.ts'
import { listLivePlugins } from './live-plugins.ts'

const child: ChildStatus = {
  ...{ key: 'k', isolation: 'process', plugins: ['toolset-mine'], pid: 7, memory: 5, memoryLimit: 9, startedAt: 0, startMs: 1 },
  silent: true,
}

test('a plugin whose process does not answer says so, whatever state it is in', () => {
  const [row] = listLivePlugins({
    catalog: { plugins: [{ id: 'toolset-mine', version: '1.0.0', isolation: 'process', state: 'ready' } as never] },
    activator: { state: () => ({ state: 'active', reason: undefined, retryAt: undefined }) },
    hosts: { status: () => [{ plugin: 'toolset-mine', isolation: 'process', faults: 0, lastFault: undefined, child }] },
  })
  expect(row).toMatchObject({ state: 'active', reason: 'unresponsive', detail: 'its process does not answer' })
})
