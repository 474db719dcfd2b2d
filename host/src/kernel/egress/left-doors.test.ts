// @module-tag process
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { openDoor } from './door.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

test('what a host left that was killed is removed, and nothing that answers', async () => {
  const socketIn = async (folder: string): Promise<Server> => {
    mkdirSync(folder)
    const server = createServer((socket) => socket.on('error', () => undefined).end())
    await once(server.listen(join(folder, 'door')), 'listening')
    return server
  }
  const [left, used] = ['left', 'used'].map((name) => join(tmpdir(), `agent-door-${2 ** 22 + 1}-${name}-${process.pid}`))
  if (left === undefined || used === undefined) return
  const program = `require('net').createServer().listen(${JSON.stringify(join(left, 'door'))}, () => process.kill(process.pid, 'SIGKILL'))`
  mkdirSync(left)
  spawnSync(process.execPath, ['-e', program])
  const server = await socketIn(used)
  closers.push(
    () => rmSync(used, { recursive: true }),
    () => server.close(),
  )
  expect(existsSync(join(left, 'door'))).toBe(true)
  const door = await openDoor({ plugins: ['mine'], net: 'any', clock: systemClock })
  closers.push(() => door.close())
  expect([existsSync(left), existsSync(used)]).toEqual([false, true])
})
