import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { followLog, readTail } from './read-log.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-log-'))
  path = join(folder, 'agent.log')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the tail is the last lines, whatever their length', async () => {
  const all = Array.from({ length: 3_000 }, (_, index) => `${index} ${'é'.repeat(index % 90)}`)
  writeFileSync(path, `${all.join('\n')}\n`)
  expect((await readTail(path, 5)).lines).toEqual(all.slice(-5))
  expect((await readTail(path, 2_500)).lines).toEqual(all.slice(-2_500))
  expect((await readTail(path, 9_999)).lines).toEqual(all)
  expect((await readTail(path, 0)).lines).toEqual([])
})

test('a file without its last newline, an empty one and none at all', async () => {
  writeFileSync(path, 'a\nb')
  expect((await readTail(path, 1)).lines).toEqual(['b'])
  writeFileSync(path, '')
  expect((await readTail(path, 5)).lines).toEqual([])
  expect((await readTail(join(folder, 'none.log'), 5)).lines).toEqual([])
})

// Each pause of the follower performs the next act; after the last one the signal fires.
async function followWhile(acts: readonly (() => void)[]): Promise<string[]> {
  const stop = new AbortController()
  const queue = [...acts]
  const sleep = async (): Promise<void> => {
    const act = queue.shift()
    if (act) act()
    else stop.abort()
    stop.signal.throwIfAborted()
  }
  const seen: string[] = []
  const { end } = await readTail(path, 0)
  for await (const line of followLog({ path, from: end, clock: { sleep }, signal: stop.signal })) seen.push(line)
  return seen
}

test('following shows only new lines, whole ones', async () => {
  writeFileSync(path, 'old\n')
  const acts = [() => appendFileSync(path, 'one\nha'), () => appendFileSync(path, 'lf\nthree\n')]
  expect(await followWhile(acts)).toEqual(['one', 'half', 'three'])
})

test('following survives that the file is set aside, without losing the lines around it', async () => {
  writeFileSync(path, 'old\n')
  const seen = await followWhile([
    () => {
      appendFileSync(path, 'before\n')
      renameSync(path, `${path}.1`)
      writeFileSync(path, 'after\n')
    },
    () => appendFileSync(path, 'more\n'),
    () => renameSync(path, `${path}.2`),
    () => writeFileSync(path, 'again\n'),
  ])
  expect(seen).toEqual(['before', 'after', 'more', 'again'])
})

test('following waits for a file that is not there yet and starts over with one that was emptied', async () => {
  const acts = [() => writeFileSync(path, 'first line\n'), () => truncateSync(path), () => appendFileSync(path, 'new\n')]
  expect(await followWhile(acts)).toEqual(['first line', 'new'])
})
