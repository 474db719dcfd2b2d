import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { readChildren, readMemory, readProcessor, readPrograms } from './process-readings.ts'

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

test('all that was started below a process counts, by each of its threads and however far, with the memory that is theirs alone', () => {
  const proc = mkdtempSync(join(tmpdir(), 'readings-'))
  const tell = (pid: number, children: Readonly<Record<string, string>>, status: string): void => {
    for (const [thread, numbers] of Object.entries(children)) {
      mkdirSync(join(proc, String(pid), 'task', thread), { recursive: true })
      writeFileSync(join(proc, String(pid), 'task', thread, 'children'), numbers)
    }
    writeFileSync(join(proc, String(pid), 'status'), status)
  }
  tell(7, { 7: '8 ', 70: '9 10 ' }, 'Name:\tnode\nVmRSS:\t  100 kB\nRssAnon:\t   80 kB\n')
  tell(8, { 8: '11 ' }, 'VmRSS:\t  9 kB\nRssAnon:\t   4 kB\nRssFile:\t   3 kB\nRssShmem:\t   2 kB\n')
  tell(9, { 9: '' }, 'RssAnon:\t   20 kB\n')
  tell(11, { 11: '' }, 'RssAnon:\t   100 kB\n')
  writeFileSync(join(proc, '7', 'schedstat'), '2500000 17 3\n')
  writeFileSync(join(proc, '8', 'schedstat'), '')
  try {
    expect(readPrograms(7, proc)).toEqual({ count: 4, bytes: 126 * 1024 })
    expect([readChildren(7, proc), readChildren(11, proc), readChildren(12, proc)]).toEqual([[8, 9, 10], [], []])
    expect(readPrograms(11, proc)).toEqual({ count: 0, bytes: 0 })
    expect([readMemory(7, proc), readMemory(9, proc)]).toEqual([100 * 1024, undefined])
    expect([readProcessor(7, proc), readProcessor(8, proc), readProcessor(9, proc)]).toEqual([2.5, undefined, undefined])
    // What is no folder of a process is a fault, not an end.
    writeFileSync(join(proc, '12'), '')
    expect(() => readPrograms(12, proc)).toThrow(/ENOTDIR/)
  } finally {
    rmSync(proc, { recursive: true })
  }
})
