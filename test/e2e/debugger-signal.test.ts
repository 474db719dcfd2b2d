// @module-tag process
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { formatChildCommand } from '../../host/src/kernel/extension-host/child-command.ts'
import { noDebugger } from '../../host/src/kernel/no-debugger.ts'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome } from '../support/test-home.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const running: ChildProcess[] = []
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'close')
    if (child.kill('SIGKILL')) await ended
  }
})

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): { readonly child: ChildProcess; readonly said: () => string } {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  running.push(child)
  let text = ''
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (piece: string) => (text = text + piece))
  return { child, said: () => text }
}

const opened = /Debugger listening/

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Resolves in the instant in which Node begins to listen to the signal; before it, the system ends whatever gets one. */
async function hears({ pid }: ChildProcess): Promise<void> {
  const usr1 = 1n << 9n
  for (let caught = 0n; (caught & usr1) === 0n; await new Promise((resolve) => setImmediate(resolve)))
    caught = BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'}`)
}

test('no signal opens the debugger of a gateway, at its start or later', async () => {
  using home = openTestHome()
  const program = join(root, 'host', 'bin', 'agent.mjs')
  const env = { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline', API_SERVER_PORT: '0' }
  const { child, said } = start([...noDebugger(), program, 'gateway', 'run'], env)
  await hears(child)
  child.kill('SIGUSR1')
  await expect
    .poll(() => existsSync(join(home.home, 'gateway.sock')) || child.exitCode !== null || child.signalCode !== null, { timeout: 20_000 })
    .toBe(true)
  child.kill('SIGUSR1')
  expect([child.exitCode, child.signalCode]).toEqual([null, null])
  child.kill('SIGTERM')
  await once(child, 'close')
  expect(said()).not.toMatch(opened)
})

test('what a signal opens in an agent that was started by hand is closed by its first line', async () => {
  using home = openTestHome()
  const program = join(root, 'host', 'bin', 'agent.mjs')
  const env = { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline', API_SERVER_PORT: '0' }
  const signalled = async () => {
    // Some free port, since others of this machine may have theirs open.
    const { child, said } = start(['--inspect-port=0', program, 'gateway', 'run'], env)
    await hears(child)
    child.kill('SIGUSR1')
    await expect.poll(() => existsSync(join(home.home, 'gateway.sock')) || child.exitCode !== null, { timeout: 20_000 }).toBe(true)
    const ports = (): readonly number[] =>
      [...said().matchAll(/Debugger listening on ws:\/\/127.0.0.1:(\d+)/g)].map(([, port]) => Number(port))
    return { child, ports }
  }
  // A signal in the middle of Node's own start may open it, and once more when what it began has ended. One that comes late finds our first line.
  let { child, ports } = await signalled()
  for (let tries = 1; ports().length === 0 && tries < 20; tries++) {
    child.kill('SIGTERM')
    await once(child, 'close')
    ;({ child, ports } = await signalled())
  }
  const before = ports()
  expect(before.length).toBeGreaterThan(0)
  for (const port of before) await expect.poll(() => canConnect(port), { timeout: 5000 }).toBe(false)
  child.kill('SIGUSR1')
  expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({ code: 0 })
  expect(ports()).toEqual(before)
  child.kill('SIGTERM')
  await once(child, 'close')
})

test('no line of .env opens a debugger, in the gateway or in what it starts', async () => {
  using home = openTestHome()
  writeFileSync(join(home.home, '.env'), 'NODE_OPTIONS=--inspect=0\n')
  const program = join(root, 'host', 'bin', 'agent.mjs')
  const env = { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline', API_SERVER_PORT: '0' }
  const starting = start([...noDebugger(), program, 'gateway', 'start'], env)
  expect(await once(starting.child, 'close')).toEqual([0, null])
  const stopping = start([program, 'gateway', 'stop'], env)
  expect(await once(stopping.child, 'close')).toEqual([0, null])
  expect(readFileSync(join(home.home, 'logs', 'gateway.out'), 'utf8') + starting.said() + stopping.said()).not.toMatch(opened)
})

test('no signal opens the debugger of a child of plugins, from its first instant on', async () => {
  const places = { program: join(root, 'host', 'dist', 'extension-host.mjs'), roots: [], data: [], workspace: root, cwd: root }
  const set = {
    key: 'k',
    isolation: 'process',
    required: false,
    memoryBytes: 256 * 1024 * 1024,
    keepsMemories: false,
    permissions: {},
  } as const
  const { args } = formatChildCommand({
    set,
    places,
    node: process.execPath,
    flags: process.allowedNodeEnvironmentFlags,
    homes: [],
    secrets: [],
  })
  for (const signals of [1, 20]) {
    const { child, said } = start(args)
    await hears(child)
    for (let sent = 0; sent < signals; sent++) {
      child.kill('SIGUSR1')
      await new Promise((resolve) => setImmediate(resolve))
    }
    // Its pipe ends, and so does it: by then it has heard every signal.
    child.stdio[3]?.destroy()
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
    expect(said()).not.toMatch(opened)
  }
})
