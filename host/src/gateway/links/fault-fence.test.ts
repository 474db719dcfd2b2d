import { EventEmitter } from 'node:events'
import type { WireError } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describe, expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import { openFaultFence } from './fault-fence.ts'
import { createFaults } from './faults.ts'

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
  const fence = openFaultFence({ faults: createFaults(source), catalog: { plugins }, links: new Map(links), log: silentLog })
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

test.each([
  ['what cannot be said in words', Object.create(null)],
  ['an error whose text is no text', Object.assign(errorAt('x (/install/other/p.js:1:1)'), { message: 1, stack: { at: 1 } })],
])('%s ends no process', (_, odd) => {
  const { source, faults } = openRig()
  source.emit('unhandledRejection', odd)
  expect(faults).toEqual([])
})

test('an error that tells nothing of itself is still that of the plugin in its stack', () => {
  const { source, faults } = openRig()
  const error = errorAt('x (/install/plugins/platforms/chat/p.js:1:1)')
  source.emit('uncaughtException', Object.assign(error, { message: undefined }))
  expect(faults).toMatchObject([['platform-chat', { code: 'PLUGIN_FAILED', params: { detail: 'undefined' } }]])
})

describe('two gateways in one process', () => {
  function openTwo() {
    const source = new EventEmitter()
    const faults = createFaults(source, () => ['key-of-work'])
    const said: string[] = []
    const open = (name: string, plugins: readonly { id: string; root: string }[]) => {
      const links = plugins.map(({ id }) => {
        const contribution = { plugin: { manifest: { id } } } as Contribution<'platform'>
        return [id, { contribution, breakOff: () => void said.push(`${name} breaks ${id} off`) }] as const
      })
      const log = { ...silentLog, error: (_: string, fields: unknown) => void said.push(`${name} logs ${JSON.stringify(fields)}`) }
      return openFaultFence({ faults, catalog: { plugins }, links: new Map(links), log })
    }
    const shared = { id: 'platform-chat', root: '/install/chat' }
    const fences = [open('default', [shared]), open('work', [shared, { id: 'platform-own', root: '/home/work/own' }])]
    return { source, said, fences }
  }

  test('the error of a plugin that only one of them has ends that one alone, and not the process', () => {
    const { source, said } = openTwo()
    source.emit('uncaughtException', errorAt('x (/home/work/own/p.js:1:1)'))
    expect(said.filter((line) => line.includes('breaks'))).toEqual(['work breaks platform-own off'])
    expect(said.some((line) => line.startsWith('default'))).toBe(false)
  })

  test('the error of a plugin that both have is that of both', () => {
    const { source, said } = openTwo()
    source.emit('uncaughtException', errorAt('x (/install/chat/p.js:1:1)'))
    expect(said.filter((line) => line.includes('breaks'))).toEqual(['default breaks platform-chat off', 'work breaks platform-chat off'])
  })

  test("what belongs to nobody's plugin is told once, without the keys of the others, and the host's own ends the process", () => {
    const { source, said } = openTwo()
    const error = new Error('cannot reach key-of-work')
    error.stack = 'Error: cannot reach key-of-work\n    at node:net:1:1'
    source.emit('uncaughtException', error)
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(/^default logs/)
    expect(said[0]).not.toContain('key-of-work')
    expect(() => source.emit('uncaughtException', errorAt(host))).toThrow('boom')
  })

  test('an error that cannot be changed ends no process, and is told without the keys of the others', () => {
    const { source, said } = openTwo()
    const error = errorAt('x (/home/work/own/p.js:1:1)')
    error.message = 'cannot reach key-of-work'
    source.emit('unhandledRejection', Object.freeze(error))
    source.emit('unhandledRejection', Object.freeze(fail('INTERNAL', { detail: 'key-of-work' })))
    source.emit('unhandledRejection', { toString: () => 'key-of-work' })
    expect(said.filter((line) => line.includes('breaks'))).toEqual(['work breaks platform-own off'])
    expect(said).toHaveLength(4)
    expect(said.join()).not.toContain('key-of-work')
  })

  test('the process is heard while one of them is there', () => {
    const { source, fences } = openTwo()
    expect(source.listenerCount('uncaughtException')).toBe(1)
    fences[0]?.close()
    expect(source.listenerCount('unhandledRejection')).toBe(1)
    fences[1]?.close()
    expect(source.eventNames()).toEqual([])
  })
})
