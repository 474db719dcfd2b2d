import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
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
  const [left, used, begun] = ['left', 'used', 'begun'].map((name) => join(tmpdir(), `agent-door-${2 ** 22 + 1}-${name}-${process.pid}`))
  if (left === undefined || used === undefined || begun === undefined) return
  // Under another name it stays when its server ends, as that of a host does that is killed.
  const ended = await socketIn(left)
  renameSync(join(left, 'door'), join(left, 'moved'))
  await new Promise((resolve) => ended.close(resolve))
  renameSync(join(left, 'moved'), join(left, 'door'))
  const server = await socketIn(used)
  // Its host has not come so far as to listen there.
  mkdirSync(begun)
  closers.push(
    () => [used, begun].map((folder) => rmSync(folder, { recursive: true })),
    () => server.close(),
  )
  expect(existsSync(join(left, 'door'))).toBe(true)
  const door = await openDoor({ plugins: ['mine'], net: 'any', clock: systemClock })
  closers.push(() => door.close())
  expect([left, used, begun].map((folder) => existsSync(folder))).toEqual([false, true, true])
})
