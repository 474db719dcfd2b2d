// @module-tag server
import { readdirSync } from 'node:fs'
import type { Clock } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createPageReader } from './page-reader.ts'

const page = { url: 'http://site.example/', html: '<html><body><p>Hello</p></body></html>' }
const { signal } = new AbortController()
const threads = (): number => readdirSync('/proc/self/task').length

test('the thread begins with the first page, ends when none has come for a while, and a new one reads the next', async () => {
  let rest: (() => void) | undefined
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, given) =>
      new Promise((done, failed) => {
        if (ms === 30_000) rest = done
        given?.addEventListener('abort', () => failed(given.reason), { once: true })
      }),
  }
  const none = threads()
  const reader = createPageReader(clock)
  expect(threads()).toBe(none)
  expect(await reader.read(page, signal)).toMatchObject({ text: 'Hello' })
  const one = threads()
  expect(one).toBeGreaterThan(none)
  rest?.()
  await expect.poll(threads).toBeLessThan(one)
  expect(await reader.read(page, signal)).toMatchObject({ text: 'Hello' })
  await reader.close()
  await expect.poll(threads).toBeLessThan(one)
})

test('of pages that wait for the thread the given up ones are not read, and the others are', async () => {
  const clock: Clock = { now: () => 0, sleep: (_ms, given) => new Promise((_done, failed) => given?.addEventListener('abort', failed)) }
  const reader = createPageReader(clock)
  const controller = new AbortController()
  const reads = [reader.read(page, signal), reader.read(page, controller.signal), reader.read(page, signal)]
  controller.abort(new Error('given up'))
  expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await reader.close()
})

test('a page that waits when the reader is closed is not read, and starts no thread', async () => {
  const clock: Clock = { now: () => 0, sleep: (_ms, given) => new Promise((_done, failed) => given?.addEventListener('abort', failed)) }
  const reader = createPageReader(clock)
  const before = threads()
  const reads = [reader.read(page, signal), reader.read(page, signal)]
  const closing = reader.close()
  expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await closing
  await expect.poll(threads).toBe(before)
})
