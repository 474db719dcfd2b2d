import { EventEmitter } from 'node:events'
import type { WireError } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import { openFaultFence } from './fault-fence.ts'

function openRig() {
  const source = new EventEmitter()
  const faults: [string, WireError][] = []
  const plugins = [
    { id: 'platform-chat', root: '/install/plugins/platforms/chat' },
    { id: 'platform-chat-two', root: '/home/plugins/local/two' },
  ]
  const links = plugins.map(({ id }) => {
    const contribution = { plugin: { manifest: { id } } } as Contribution<'platform'>
    return [id, { contribution, breakOff: (error: WireError) => void faults.push([id, error]) }] as const
  })
  const fence = openFaultFence({ source, catalog: { plugins }, links: new Map(links), log: silentLog })
  return { source, faults, close: fence.close }
}

function errorAt(...frames: readonly string[]): Error {
  const error = new Error('boom')
  error.stack = ['Error: boom', ...frames.map((frame) => `    at ${frame}`)].join('\n')
  return error
}

const host = 'runTurn (/install/host/dist/chunk.js:5:7)'

test.each([
  ['uncaughtException', errorAt('Timeout._onTimeout (/install/plugins/platforms/chat/dist/platform.js:12:9)', 'node:internal/timers:5:1')],
  ['unhandledRejection', errorAt('async file:///install/plugins/platforms/chat/dist/platform.js:3:1')],
  ['unhandledRejection', errorAt(host, 'async poll (file:///install/plugins/platforms/chat/dist/platform.js:3:1)')],
])('an error in a plugin is that of its connections: %s', (event, error) => {
  const { source, faults } = openRig()
  source.emit(event, error)
  const params = { plugin: 'platform-chat', during: 'its own work', detail: 'boom' }
  expect(faults).toEqual([['platform-chat', { code: 'PLUGIN_FAILED', params }]])
})

test('what Node itself reports, a coded error and what is no error break nothing', () => {
  const { source, faults } = openRig()
  source.emit('uncaughtException', errorAt('TCPConnectWrap.afterConnect [as oncomplete] (node:net:1637:16)'))
  source.emit('unhandledRejection', fail('INTERRUPTED'))
  source.emit('unhandledRejection', 'just words')
  source.emit('unhandledRejection', undefined)
  expect(faults).toEqual([])
})

test("the host's own error ends the process, and so does everything after the fence is closed", () => {
  const { source, close } = openRig()
  const own = errorAt(host, 'node:internal/process/task_queues:95:5')
  expect(() => source.emit('uncaughtException', own)).toThrow(own)
  expect(() => source.emit('uncaughtException', errorAt('x (/install/plugins/platforms/chat-two/dist/p.js:1:1)'))).toThrow('boom')
  close()
  expect(source.eventNames()).toEqual([])
})
