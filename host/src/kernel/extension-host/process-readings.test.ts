import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { readMemory, readProcessor, readPrograms } from './process-readings.ts'

/** No process has this number: the kernel gives none above. */
const nobody = 2 ** 22 + 1
const told = needs(existsSync('/proc/self/status') ? undefined : 'this system has no /proc')

test('memory and processor time of a process are read in bytes and milliseconds', told, () => {
  const { rss } = process.memoryUsage()
  const read = readMemory(process.pid) ?? 0
  expect(read % 1024).toBe(0)
  expect(read / rss).toBeGreaterThan(0.5)
  expect(read / rss).toBeLessThan(2)
  const used = readProcessor(process.pid) ?? 0
  const { user, system } = process.cpuUsage()
  expect(used).toBeGreaterThan(0)
  // All threads together take more than the main one.
  expect(used).toBeLessThan((user + system) / 1000 + 1000)
})

test('programs below a process are found, and how much memory is theirs alone', told, () => {
  // This one runs below the one that runs the tests.
  const { count, bytes } = readPrograms(process.ppid)
  expect(count).toBeGreaterThan(0)
  expect(bytes).toBeGreaterThan(1024 * 1024)
  const above = readPrograms(1)
  expect(above.count).toBeGreaterThanOrEqual(count)
})

test('of a process that is not there nothing is told', () => {
  expect([readMemory(nobody), readProcessor(nobody), readPrograms(nobody)]).toEqual([undefined, undefined, { count: 0, bytes: 0 }])
})
