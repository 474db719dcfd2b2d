// @module-tag process
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { startChild } from './child-process.ts'

async function start(code: string) {
  const clock = createFakeClock()
  const lines: string[] = []
  let onFirst = (): void => undefined
  const ready = new Promise<void>((resolve) => (onFirst = resolve))
  const onLine = (line: string): void => {
    lines.push(line)
    onFirst()
  }
  const command = { file: process.execPath, args: ['-e', `${code}; console.log('ready')`], sandboxed: false, warnings: [] }
  const child = await startChild(command, { cwd: tmpdir(), clock, onLine })
  await ready
  return { clock, child, lines }
}

test('a child that does not end in its time is killed, not earlier', async () => {
  const { clock, child, lines } = await start('setInterval(() => undefined, 1000)')
  const finished = child.finish(2000)
  await clock.advance(1999)
  expect(() => process.kill(child.pid() ?? 0, 0)).not.toThrow()
  await clock.advance(1)
  await finished
  expect([lines, (await child.ended).detail]).toEqual([['ready'], 'its process was ended by SIGKILL'])
})

test('a child that ends by itself is waited for', async () => {
  const { child } = await start("require('net').Socket({ fd: 3 }).resume().on('end', () => process.exit(4))")
  child.pipe.end()
  await Promise.all([child.finish(2000), once(child.pipe, 'close')])
  expect(await child.ended).toEqual({ detail: 'its process ended with code 4', before: false })
})
