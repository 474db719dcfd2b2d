import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { ClaimedSend } from '#store/journal.ts'
import { talkSpec } from '../testing/talk.ts'
import { createLostReceipts, type LostReceiptsOptions } from './lost-receipts.ts'

const sendOf = (platform: string): ClaimedSend => ({ platform, seq: 1 }) as unknown as ClaimedSend

/** Sends on three platforms: one that can be asked, one that cannot, one that is gone. */
function open() {
  const settled: string[][] = []
  const can: Readonly<Record<string, boolean>> = { told: true, mute: false, gone: true }
  const options = {
    catalog: { find: (_: string, id: string) => ({ spec: talkSpec({ capabilities: { findSent: can[id] ?? false } }) }) },
    links: new Map([
      ['told', {}],
      ['mute', {}],
    ]),
    outbox: { settleRecovered: async (sends: readonly ClaimedSend[]) => void settled.push(sends.map(({ platform }) => platform)) },
    sends: ['told', 'mute', 'gone', 'told'].map(sendOf),
    log: silentLog,
  } as unknown as LostReceiptsOptions
  return { lost: createLostReceipts(options), settled }
}

test('a platform that can be asked is asked once it is connected, about its own sends and once', () => {
  const { lost, settled } = open()
  lost.settle('told')
  lost.settle('told')
  expect(settled).toEqual([['told', 'told'], []])
})

test('sends of platforms that cannot be asked, or are not there any more, are settled at once', () => {
  const { lost, settled } = open()
  lost.settleUnreachable()
  expect(settled).toEqual([['mute', 'gone']])
  lost.settle('told')
  expect(settled[1]).toEqual(['told', 'told'])
})

test('a failure is logged and disturbs nobody', async () => {
  const problems: unknown[] = []
  const lost = createLostReceipts({
    ...{ catalog: { find: () => undefined }, links: new Map(), sends: [sendOf('gone')] },
    outbox: { settleRecovered: () => Promise.reject(new Error('no disk')) },
    log: { ...silentLog, error: (_, fields) => problems.push(fields) },
  })
  lost.settleUnreachable()
  await expect.poll(() => problems).toEqual([{ error: 'Error: no disk' }])
})
