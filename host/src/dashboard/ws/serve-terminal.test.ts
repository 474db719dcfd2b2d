// @module-tag server
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { isAlive } from '#gateway/process/process-identity.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { openWebSockets, type WebSockets } from './open-web-sockets.ts'
import { serveTerminal, type TerminalMessage } from './serve-terminal.ts'

/** Stands for agent: says what it was started with, then does as a shell does. */
const script =
  'echo "pid $$ args $* home $MARK term $TERM"; while read -r line; do case "$line" in size) stty size;; flood*) set -- $line; n=0; while :; do head -c 100000 /dev/zero | tr "\\0" x; n=$((n+1)); echo $n > "$2"; done;; end) exit 3;; *) echo "heard $line";; esac; done'

let server: ReturnType<typeof createServer>
let sockets: WebSockets
let url: string
beforeEach(async () => {
  server = createServer()
  const route = serveTerminal({
    program: ['/bin/bash', '-c', script, 'agent'],
    environmentOf: (profile) => ({ PATH: process.env.PATH, MARK: `of ${profile}` }),
    ...{ profile: 'default', clock: systemClock, log: silentLog },
  })
  sockets = openWebSockets({
    ...{ server, routes: { '/api/pty': route }, isLoopback: true, takeTicket: () => () => true },
    ...{ clock: systemClock, log: silentLog },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/pty?ticket=t`
})
afterEach(async () => {
  await sockets.close()
  server.close()
})

interface Terminal {
  readonly socket: WebSocket
  text(): string
  exits(): readonly number[]
  write(data: string): void
}

async function open(query = ''): Promise<Terminal> {
  const socket = new WebSocket(url + query)
  const messages: TerminalMessage[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as TerminalMessage))
  await once(socket, 'open')
  return {
    socket,
    text: () => messages.map((message) => (message.type === 'output' ? message.data : '')).join(''),
    exits: () => messages.flatMap((message) => (message.type === 'exit' ? [message.code] : [])),
    write: (data) => socket.send(JSON.stringify({ type: 'input', data })),
  }
}

proves('dashboard.ws.pty', 'what is typed is heard, the size follows, and the end is told', async () => {
  const terminal = await open('&profile=work&columns=61&rows=12')
  await expect.poll(terminal.text).toMatch(/args -p work chat home of work term xterm-256color/)
  terminal.write('hello\r')
  await expect.poll(terminal.text).toContain('heard hello')
  terminal.write('size\r')
  await expect.poll(terminal.text).toContain('12 61')
  terminal.socket.send(JSON.stringify({ type: 'resize', columns: 100, rows: 40 }))
  terminal.socket.send('no message')
  terminal.write('size\r')
  await expect.poll(terminal.text).toContain('40 100')
  const closed = once(terminal.socket, 'close')
  terminal.write('end\r')
  expect((await closed)[0]).toBe(1000)
  expect(terminal.exits()).toEqual([3])
})

test('a terminal ends with its socket', async () => {
  const terminal = await open()
  await expect.poll(terminal.text).toMatch(/pid \d+/)
  const pid = Number(/pid (\d+)/.exec(terminal.text())?.[1])
  expect(isAlive({ pid, started: '' })).toBe(true)
  terminal.socket.terminate()
  await expect.poll(() => isAlive({ pid, started: '' })).toBe(false)
})

test('no more terminals are open at once than a machine bears, and a size that makes no sense opens none', async () => {
  const wrong = await open('&columns=1')
  expect((await once(wrong.socket, 'close'))[0]).toBe(1011)
  const all = await Promise.all(Array.from({ length: 8 }, () => open()))
  const more = await open()
  expect((await once(more.socket, 'close'))[0]).toBe(1013)
  for (const { socket } of all) socket.terminate()
  await expect.poll(() => sockets.open()).toBe(0)
})

test('a browser that does not read makes the program wait, and one that reads again has all of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'))
  const file = join(folder, 'count')
  try {
    const terminal = await open()
    await expect.poll(terminal.text).toMatch(/pid \d+/)
    const pid = Number(/pid (\d+)/.exec(terminal.text())?.[1])
    const count = (): number => Number(existsSync(file) ? readFileSync(file, 'utf8') : 0)
    terminal.socket.pause()
    terminal.write(`flood ${file}\r`)
    await expect.poll(count).toBeGreaterThan(0)
    let before = -1
    const hasStopped = (): boolean => {
      const now = count()
      const isSame = now === before
      before = now
      return isSame
    }
    await expect.poll(hasStopped, { interval: 250 }).toBe(true)
    terminal.socket.resume()
    await expect.poll(count).toBeGreaterThan(before + 20)
    terminal.socket.terminate()
    // It counts in the folder until it has ended.
    await expect.poll(() => isAlive({ pid, started: '' })).toBe(false)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
