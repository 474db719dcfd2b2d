import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isOwnDoor } from './own-doors.ts'

const debuggerPort = 9229

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doors-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

test.each(['127.0.0.1', '127.1.2.3', '0.0.0.0', '::', '::1', '::1%lo', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  '%s is this machine, where a debugger may listen',
  async (address) => {
    expect(await isOwnDoor(address, debuggerPort, { proc: folder })).toBe(true)
  },
)

test.each(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1', '1.127.0.1'])('%s is another one', async (address) => {
  expect(await isOwnDoor(address, debuggerPort)).toBe(false)
})

interface Running {
  readonly words?: readonly string[]
  readonly cwd?: string
  /** Inodes of its sockets. */
  readonly sockets: readonly number[]
}

/** What the system tells of its processes; a listening socket is `[inode, port]`, one that is connected has another state. */
function tell(
  running: Readonly<Record<string, Running>>,
  listening: Readonly<Record<string, readonly (readonly [number, number, string?])[]>>,
): string {
  const proc = join(folder, 'proc')
  for (const [pid, { words = [], cwd = '/', sockets }] of Object.entries(running)) {
    mkdirSync(join(proc, pid, 'fd'), { recursive: true })
    writeFileSync(join(proc, pid, 'cmdline'), words.map((word) => `${word}\0`).join(''))
    symlinkSync(cwd, join(proc, pid, 'cwd'))
    symlinkSync('/dev/null', join(proc, pid, 'fd', '0'))
    for (const inode of sockets) symlinkSync(`socket:[${inode}]`, join(proc, pid, 'fd', String(inode)))
  }
  mkdirSync(join(proc, 'self', 'net'), { recursive: true })
  for (const [name, rows] of Object.entries(listening)) {
    const lines = rows.map(([inode, port, state = '0A'], at) => {
      const hex = port.toString(16).toUpperCase().padStart(4, '0')
      return `   ${at}: 0100007F:${hex} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100 0`
    })
    writeFileSync(join(proc, 'self', 'net', name), ['  sl  local_address rem_address   st', ...lines, ''].join('\n'))
  }
  return proc
}

const ownPorts = async (
  ports: readonly number[],
  looking: { readonly program?: string; readonly proc: string; readonly debugPort?: number },
): Promise<readonly number[]> => {
  const own = await Promise.all(ports.map((port) => isOwnDoor('127.0.0.1', port, looking)))
  return ports.filter((_, at) => own[at])
}

test('what this process listens on is its own door, what it is connected to is none, nor what others listen on', async () => {
  const proc = tell(
    { [process.pid]: { sockets: [70, 71, 72] }, 12: { words: ['sshd'], sockets: [73] } },
    {
      tcp: [
        [70, 8080],
        [71, 8081, '01'],
        [73, 22],
      ],
      tcp6: [[72, 8082]],
    },
  )
  expect(await ownPorts([8080, 8081, 8082, 22, 23], { proc, program: '/opt/agent.mjs' })).toEqual([8080, 8082])
  expect(await ownPorts([8080], { proc })).toEqual([8080])
})

test('a program that is not named like the agent is another one of it only where its words say so', async () => {
  const program = join(folder, 'server.js')
  const proc = tell(
    {
      12: { words: ['node', program], sockets: [1] },
      13: { words: ['node', 'server.js'], cwd: folder, sockets: [2] },
      14: { words: ['node', '1', '2', '3', '4', '5', '6', '7', program], sockets: [3] },
      '15a': { words: ['node', program], sockets: [4] },
    },
    {
      tcp: [
        [1, 8001],
        [2, 8002],
        [3, 8003],
        [4, 8004],
      ],
    },
  )
  expect(await ownPorts([8001, 8002, 8003, 8004], { proc, program })).toEqual([8001])
})

test('one that is named like it is another one where its path leads to the same file', async () => {
  const program = join(folder, 'agent.mjs')
  mkdirSync(join(folder, 'bin'))
  writeFileSync(program, '')
  writeFileSync(join(folder, 'bin', 'agent.mjs'), '')
  symlinkSync('../agent.mjs', join(folder, 'bin', 'agent'))
  const proc = tell(
    {
      12: { words: ['node', 'agent.mjs', 'gateway'], cwd: folder, sockets: [1] },
      13: { words: ['node', join('bin', 'agent')], cwd: folder, sockets: [2] },
      14: { words: ['node', join(folder, 'bin', 'agent.mjs'), program.replace('agent.mjs', 'notes.md')], sockets: [3] },
      15: { words: ['node', 'agent.mjs'], cwd: '/', sockets: [4] },
    },
    {
      tcp6: [
        [1, 8001],
        [2, 8002],
        [3, 8003],
        [4, 8004],
      ],
    },
  )
  expect(await ownPorts([8001, 8002, 8003, 8004], { proc, program })).toEqual([8001, 8002])
})

test('a debugger that was moved is a door too', async () => {
  expect(await ownPorts([4711, 4712, debuggerPort], { proc: folder, debugPort: 4711 })).toEqual([4711, debuggerPort])
})
