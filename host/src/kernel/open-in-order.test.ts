import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { openLedger } from './ledger.ts'
import { openInOrder } from './open-in-order.ts'

test('parts are opened in order with those before them, and closed the other way round', async () => {
  const heard: string[] = []
  const part = (name: string) => ({ name, close: () => void heard.push(`${name} closed`) })
  const ledger = openLedger('gateway', silentLog)
  const list = openInOrder({ own: part('given') }, ledger)
    .add('first', async ({ own }) => part(`first after ${own.name}`))
    .add('count', ({ first }) => first.name.length)
    .add('last', ({ own, count }) => part(`last after ${own.name} and ${count}`))
  expect(ledger.size).toBe(0)
  const { own, first, count, last } = await list.open()
  expect([own.name, first.name, count, last.name]).toEqual(['given', 'first after given', 17, 'last after given and 17'])
  await ledger.dispose()
  expect(heard).toEqual(['last after given and 17 closed', 'first after given closed'])
})

test('what is no part that closes is left as it is', async () => {
  const ledger = openLedger('gateway', silentLog)
  const parts = [undefined, null, 'text', 7, {}, { close: 'near' }, Object.assign(() => 1, { close: () => 1 })]
  for (const part of parts)
    expect(
      await openInOrder({}, ledger)
        .add('part', () => part)
        .open(),
    ).toEqual({ part })
  expect(ledger.size).toBe(0)
})

test('where one cannot be opened the others stay for the ledger to close, and nothing is opened after it', async () => {
  const heard: string[] = []
  const ledger = openLedger('gateway', silentLog)
  const list = openInOrder({}, ledger)
    .add('first', () => ({ close: () => void heard.push('first closed') }))
    .add('second', () => Promise.reject(new Error('no port')))
    .add('third', () => heard.push('third opened'))
  await expect(list.open()).rejects.toThrow('no port')
  await ledger.dispose()
  expect(heard).toEqual(['first closed'])
})
