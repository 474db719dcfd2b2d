import type { Log } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { openLedger } from './ledger.ts'

function openLog() {
  const warnings: string[] = []
  const log: Log = { debug() {}, info() {}, warn: (message) => void warnings.push(message), error() {} }
  return { log, warnings }
}

test('effects are undone in reverse order, one after the other, after the signal', async () => {
  const ledger = openLedger('p', openLog().log)
  const steps: string[] = []
  ledger.signal.addEventListener('abort', () => steps.push('signal'))
  ledger.add(() => void steps.push('first'))
  ledger.add(async () => {
    steps.push('second starts')
    await new Promise((resolve) => setImmediate(resolve))
    steps.push('second ends')
  })
  expect(ledger.size).toBe(2)
  expect(await ledger.dispose()).toEqual([])
  expect(steps).toEqual(['signal', 'second starts', 'second ends', 'first'])
  expect(ledger.size).toBe(0)
})

test('one that throws and one that hangs are named; the others are undone all the same', async () => {
  const { log, warnings } = openLog()
  const ledger = openLedger('p', log, { disposeMs: 5 })
  const undone: string[] = []
  ledger.add(() => void undone.push('file'))
  ledger.add(() => new Promise(() => {}), 'socket')
  ledger.add(() => {
    throw new Error('already closed')
  }, 'route')
  expect(await ledger.dispose()).toEqual([
    { label: 'route', problem: 'already closed' },
    { label: 'socket', problem: 'It did not finish within 5 ms.' },
  ])
  expect(undone).toEqual(['file'])
  expect(warnings).toEqual(['p did not clean up route', 'p did not clean up socket'])
})

test('what has no name is told by its number', async () => {
  const { log, warnings } = openLog()
  const ledger = openLedger('p', log)
  const bad = (): never => {
    throw new Error('no')
  }
  ledger.add(bad)
  ledger.add(bad)
  expect((await ledger.dispose()).map(({ label }) => label)).toEqual(['effect 2', 'effect 1'])
  expect(warnings).toEqual(['p did not clean up effect 2', 'p did not clean up effect 1'])
})

test('a second dispose waits for the first', async () => {
  const ledger = openLedger('p', openLog().log)
  const undone: string[] = []
  ledger.add(() => void undone.push('file'))
  await Promise.all([ledger.dispose(), ledger.dispose()])
  expect(undone).toEqual(['file'])
})

test('what is set up too late is undone at once, and refused', async () => {
  const ledger = openLedger('p', openLog().log)
  await ledger.dispose()
  const undone: string[] = []
  expect(() => ledger.add(() => void undone.push('file'))).toThrow('p is not active any more')
  expect(undone).toEqual(['file'])
})
