import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { readMemory, readProcessor, readPrograms } from './process-readings.ts'
import { createChildWatch, type Watched } from './watch-children.ts'

const answers = async (): Promise<number> => 5
const isDeaf = (): Promise<number> => new Promise(() => undefined)

/** Children whose readings the test sets; `works` is what each look finds to have been worked. */
function open() {
  const clock = createFakeClock()
  const told: string[] = []
  const memory: number[] = []
  const now = { works: 0, bytes: undefined as number | undefined, processor: 0, isUnread: false, programs: { count: 0, bytes: 0 } }
  const watch = createChildWatch(clock, {
    memory: () => now.bytes,
    processor: () => {
      now.processor += now.works
      return now.isUnread ? undefined : now.processor
    },
    programs: () => now.programs,
  })
  const add = (ping: () => Promise<number>, more: Partial<Watched> = {}): (() => void) =>
    watch.watch({
      ...{ ping, pid: () => 7, capBytes: 100 * 1024 * 1024, isBeginning: () => false },
      onMemory: (bytes) => memory.push(bytes),
      onSilence: (silent) => told.push(silent ? 'silent' : 'answers'),
      onTrouble: (detail) => told.push(detail),
      ...more,
    })
  /** The watch looks a second time before it says anything. */
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    for (let turn = 0; turn < 3; turn += 1) await clock.advance(0)
  }
  return { clock, told, memory, now, add, pass }
}

test('children that answer are left alone by one timer, which ends with the last of them', async () => {
  const { clock, told, memory, add } = open()
  expect(clock.sleeping()).toBe(0)
  const stops = [add(answers), add(answers), add(answers)]
  await clock.advance(20_000)
  expect(told).toEqual([])
  expect(memory.slice(0, 2)).toEqual([5, 5])
  expect(clock.sleeping()).toBe(1)
  for (const stop of stops) stop()
  await clock.advance(0)
  expect(clock.sleeping()).toBe(0)
  add(answers)
  expect(clock.sleeping()).toBe(1)
})

test('an idle child is asked every two seconds, one that works at once', async () => {
  const { clock, now, add } = open()
  let asked = 0
  add(async () => {
    asked += 1
    return 5
  })
  await clock.advance(10_000)
  expect(asked).toBe(5)
  now.works = 100
  await clock.advance(1000)
  expect(asked).toBe(9)
})

test('an endless loop is seen within a second and ended after two seconds of work', async () => {
  const { clock, told, now, add, pass } = open()
  add(isDeaf)
  await pass(250)
  now.works = 250
  await pass(750)
  expect(told).toEqual(['silent'])
  await pass(1500)
  expect(told).toEqual(['silent', 'it did not answer while it worked for 2 s'])
  expect(clock.sleeping()).toBe(0)
})

test('a look that finds no processor time counts for nothing, and those after it count', async () => {
  const { told, now, add, pass } = open()
  add(isDeaf)
  now.works = 250
  await pass(500)
  now.isUnread = true
  await pass(250)
  now.isUnread = false
  await pass(4000)
  expect(told).toEqual(['silent', expect.stringContaining('did not answer')])
})

test('a child that computes for a second is told to be silent at most, and answers again', async () => {
  const { told, now, add, pass } = open()
  let answer: (bytes: number) => void = () => undefined
  add(() => new Promise((resolve) => (answer = resolve)))
  now.works = 250
  await pass(1500)
  now.works = 0
  answer(5)
  await pass(250)
  expect(told).toEqual(['silent', 'answers'])
})

test('the work of a child that gets little of a busy machine counts for what it is', async () => {
  const { told, now, add, pass } = open()
  add(isDeaf)
  await pass(250)
  now.works = 50
  await pass(9000)
  expect(told).toEqual(['silent'])
})

test('what neither answers nor works is ended after ten seconds', async () => {
  const { told, add, pass } = open()
  add(isDeaf)
  await pass(3500)
  expect(told).toEqual([])
  await pass(8000)
  expect(told).toEqual(['silent'])
  await pass(500)
  expect(told).toEqual(['silent', 'it did not answer for 10 s'])
})

test('while a plugin is loaded or connects, work is no hang', async () => {
  const { told, now, add, pass } = open()
  add(isDeaf, { isBeginning: () => true })
  now.works = 250
  await pass(9000)
  expect(told).toEqual(['silent'])
})

test('a host that was held up counts one look, and finds the answer that lies there already', async () => {
  const { told, now, add, pass } = open()
  // Reading comes after the timers: the answer to a question is there, and was not read yet.
  add(() => new Promise((resolve) => setImmediate(() => resolve(5))))
  now.works = 60_000
  await pass(60_000)
  expect(told).toEqual([])
})

test('a link that is gone is no trouble: the end of the process tells more', async () => {
  const { clock, told, add } = open()
  add(async () => Promise.reject(new Error('gone')))
  await clock.advance(30_000)
  expect(told).toEqual([])
})

test.each([
  ['the system', 9 * 1024 * 1024, answers],
  ['the child itself', undefined, async () => 9 * 1024 * 1024],
])('too much memory is found by what %s tells', async (_name, bytes, ping) => {
  const { clock, told, now, add } = open()
  now.bytes = bytes
  add(ping, { capBytes: 1024 * 1024 })
  await clock.advance(6000)
  expect(told).toEqual(['it took 9 MiB of memory, of 1 MiB that it may take'])
})

test.each([
  [257, 0, 'it started more than 256 programs'],
  [1, 5 * 1024 * 1024, 'the programs that it started took 5 MiB of memory, of 4 MiB that they may take'],
])('%i programs with %i bytes are too much, while the child itself rests', async (count, bytes, detail) => {
  const { clock, told, now, add } = open()
  add(answers, { capBytes: 1024 * 1024 })
  now.works = 1
  now.programs = { count: 1, bytes: 0 }
  await clock.advance(1000)
  expect(told).toEqual([])
  now.works = 0
  now.programs = { count, bytes }
  await clock.advance(250)
  expect(told).toEqual([detail])
})

test('a process that is not there has no memory, no work and no programs', () => {
  expect(readPrograms(2 ** 22 + 1)).toEqual({ count: 0, bytes: 0 })
  expect(readMemory(2 ** 22 + 1)).toBeUndefined()
  expect(readProcessor(2 ** 22 + 1)).toBeUndefined()
  expect(readMemory(process.pid)).toBeGreaterThan(10 * 1024 * 1024)
  expect(readProcessor(process.pid)).toBeGreaterThan(10)
})

test.each([
  ['too many programs', { count: 257, bytes: 0 }, 'it started more than 256 programs'],
  [
    'programs that take too much',
    { count: 1, bytes: 401 * 1024 * 1024 },
    'the programs that it started took 401 MiB of memory, of 400 MiB that they may take',
  ],
])('a child that starts %s is ended', async (_, programs, detail) => {
  const { told, now, add, pass } = open()
  add(answers)
  now.works = 1
  now.programs = { count: 256, bytes: 400 * 1024 * 1024 }
  await pass(1000)
  expect(told).toEqual([])
  now.programs = programs
  await pass(500)
  expect(told).toEqual([detail])
})

test('what the system says of this process is read, and of one that is gone nothing', () => {
  expect(readPrograms(2 ** 22 + 1)).toEqual({ count: 0, bytes: 0 })
  expect([readMemory(2 ** 22 + 1), readProcessor(2 ** 22 + 1)]).toEqual([undefined, undefined])
})

test('what did not work takes what it took, and is not looked at', async () => {
  const { told, now, add, pass } = open()
  add(answers, { capBytes: 10 })
  await pass(500)
  now.bytes = 11
  await pass(1000)
  expect(told).toEqual([])
  now.works = 1
  await pass(250)
  expect(told).toEqual(['it took 0 MiB of memory, of 0 MiB that it may take'])
})
