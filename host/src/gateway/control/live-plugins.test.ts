import { expect, test } from 'vitest'
import type { Listed } from '#kernel/catalog/catalog.ts'
import type { ChildStatus } from '#kernel/extension-host/extension-hosts.ts'
import { because } from '#kernel/reasons.ts'
import { type LivePluginsOptions, listLivePlugins } from './live-plugins.ts'

const child: ChildStatus = {
  ...{ key: 'k', isolation: 'process', plugins: ['toolset-mine'], pid: 7, memory: 5, memoryLimit: 9, startedAt: 0, startMs: 1 },
  silent: false,
}
const mine = { id: 'toolset-mine', version: '1.0.0', isolation: 'process', state: 'ready' } as Listed
const plain = { state: 'active', reason: undefined, retryAt: undefined } as const

const list = (more: Partial<LivePluginsOptions> = {}) =>
  listLivePlugins({ catalog: { plugins: [mine] }, activator: { state: () => plain }, ...more })
const hostsOf = (running: ChildStatus | undefined, lastFault?: string) => ({
  status: () => [{ plugin: 'toolset-mine', isolation: 'process' as const, faults: lastFault ? 2 : 0, lastFault, child: running }],
})

test('a plugin whose process does not answer says so, whatever state it is in', () => {
  const [row] = list({ hosts: hostsOf({ ...child, silent: true }) })
  expect(row).toMatchObject({ state: 'active', reason: 'unresponsive', detail: 'its process does not answer' })
})

test('what runs in a child is told with it, with its faults, and with why and until when it does not run', () => {
  const failed = { state: 'failed', reason: because('unresponsive', { plugin: 'toolset-mine' }), retryAt: 99 } as const
  expect(list({ hosts: hostsOf(child, 'it fell'), activator: { state: () => failed } })).toEqual([
    {
      ...{ id: 'toolset-mine', version: '1.0.0', state: 'failed', reason: 'unresponsive', detail: 'its process does not answer' },
      ...{ retryAt: 99, isolation: 'process', child: { pid: 7, memoryBytes: 5, memoryLimitBytes: 9 }, faults: 2, lastFault: 'it fell' },
    },
  ])
  expect(list({ hosts: hostsOf({ ...child, pid: undefined }) })[0]?.child).toMatchObject({ pid: null })
})

test('without children there are none, and what may not run is not listed', () => {
  const off = { id: 'toolset-off', version: '1.0.0', state: 'disabled' } as unknown as Listed
  const bare = { ...mine, isolation: undefined } as Listed
  const nothing = { reason: null, detail: null, retryAt: null, isolation: null, child: null, faults: 0, lastFault: null }
  const rows = [{ id: 'toolset-mine', version: '1.0.0', state: 'active', ...nothing }]
  expect(list({ catalog: { plugins: [off, bare] } })).toEqual(rows)
  expect(list({ catalog: { plugins: [bare] }, hosts: hostsOf(undefined) })).toEqual(rows)
})
