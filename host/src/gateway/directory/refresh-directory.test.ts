import type { Conversation } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { talkConnection, talkSpec } from '../testing/talk.ts'
import type { KnownChannel } from './channel-directory.ts'
import { keepRefreshing, type RefreshOptions, refreshDirectory } from './refresh-directory.ts'

const room: Conversation = { id: 'C1', kind: 'channel', name: 'garden' }
const spec = talkSpec({ capabilities: { listConversations: true } })
const methods = { identity: async () => ({ id: 'bot', name: 'Bot' }), listConversations: async () => [room] }

function openRig(known: readonly KnownChannel[] = []) {
  const filled: unknown[] = []
  const warned: string[] = []
  const stop = new AbortController()
  const slept: number[] = []
  const options: RefreshOptions = {
    directory: { fill: async (...given) => void filled.push(given), list: async () => known },
    clock: {
      now: () => 0,
      sleep: async (ms, signal) => {
        // The limit of a question is never reached.
        if (ms === 60_000) return createFakeClock().sleep(ms, signal)
        slept.push(ms)
        if (slept.length > 2) stop.abort()
      },
    },
    log: { debug: () => {}, info: () => {}, warn: (text) => warned.push(text), error: () => {} },
    signal: stop.signal,
  }
  return { options, filled, warned, slept }
}

test('a platform that can list is asked; who it is stands for the account until somebody wrote', async () => {
  const [fresh, used] = [openRig(), openRig([{ id: 'C1', account: 'second', kind: 'channel', lastSeen: 5 }])]
  for (const { options } of [fresh, used]) await refreshDirectory(options, { spec, connection: talkConnection(spec, methods) })
  expect([...fresh.filled, ...used.filled]).toEqual([
    ['talk', 'bot', [room]],
    ['talk', 'second', [room]],
  ])
})

test('a platform that cannot, or is not connected, is left alone', async () => {
  const { options, filled, warned } = openRig()
  await refreshDirectory(options, { spec: talkSpec(), connection: talkConnection(talkSpec(), {}) })
  await refreshDirectory(options, { spec, connection: undefined })
  // It could, and does not say so.
  await refreshDirectory(options, { spec: talkSpec(), connection: talkConnection(spec, methods) })
  expect([filled, warned]).toEqual([[], []])
})

test('a directory that cannot be written is warned about, unless the gateway stops', async () => {
  for (const stops of [false, true]) {
    const { options, warned } = openRig()
    const stop = new AbortController()
    const fill = async () => {
      await new Promise(setImmediate)
      if (stops) stop.abort()
      throw new Error('disk full')
    }
    const directory = { ...options.directory, fill }
    await refreshDirectory({ ...options, directory, signal: stop.signal }, { spec, connection: talkConnection(spec, methods) })
    expect(warned).toEqual(stops ? [] : ['a platform did not list its conversations'])
  }
})

test('it is asked again every six hours, whatever went wrong before', async () => {
  const { options, filled, warned, slept } = openRig()
  let asked = 0
  const listConversations = async () => {
    asked += 1
    if (asked === 1) throw new Error('too busy')
    return [room]
  }
  const connection = talkConnection(spec, { ...methods, listConversations })
  await keepRefreshing(options, () => [{ spec, connection }])
  expect(filled).toHaveLength(1)
  expect(warned).toEqual(['a platform did not list its conversations'])
  expect(slept).toEqual([21_600_000, 21_600_000, 21_600_000])
})
