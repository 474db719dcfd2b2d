import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { controlPath } from '../instance/control-path.ts'
import { type Instance, openInstance } from '../instance/instance.ts'
import { askGateway } from './ask-gateway.ts'
import { type ControlChannel, type ControlMethods, type ControlOptions, isPrivate, openControl } from './open-control.ts'

let home: TestHome
let instance: Instance
let control: ControlChannel | undefined
beforeEach(() => {
  home = openTestHome()
  instance = openInstance(homeOf(home.home, 'default'), 'boot_1', systemClock)
})
afterEach(async () => {
  await control?.close()
  control = undefined
  await instance.close()
  home[Symbol.dispose]()
})

const path = (): string => controlPath(home.home)
const { signal } = new AbortController()
const open = async (methods: ControlMethods, more: Partial<ControlOptions> = {}): Promise<void> => {
  control = await openControl({ path: path(), methods, log: silentLog, ...more })
}
const ask = (method: string, params?: unknown, timeoutMs = 5000) =>
  askGateway(homeOf(home.home, 'default'), method, params, { signal, timeoutMs })

/** Says something raw; resolves with all that was answered until the other side hung up. */
const say = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect(path(), () => socket.write(text))
    socket.on('data', (chunk) => (heard += chunk))
    socket.once('error', reject).once('close', () => resolve(heard))
  })

const echo: ControlMethods = { echo: async (params) => ({ said: String(params) }) }

test('every request is answered, and only the owner can ask', async () => {
  await open(echo)
  expect(await ask('echo', 'hello')).toEqual({ said: 'hello' })
  expect(statSync(path()).mode & 0o777).toBe(0o600)
})

test('two clients are answered apart from each other, and one waits for nobody', async () => {
  let free: () => void = () => undefined
  const slow = new Promise<void>((resolve) => (free = resolve))
  await open({ ...echo, slow: async () => slow.then(() => 'done') })
  const waiting = ask('slow')
  expect(await ask('echo', 'meanwhile')).toEqual({ said: 'meanwhile' })
  free()
  expect(await waiting).toBe('done')
})

test('an error of a method arrives with its code', async () => {
  await open({
    broken: async () => {
      throw fail('PLUGIN_INACTIVE', { plugin: 'platform-talk' })
    },
  })
  await expect(ask('broken')).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE', message: 'platform-talk is not active any more.' })
  await expect(ask('unheard')).rejects.toMatchObject({ code: 'CONTROL_REQUEST' })
  await expect(ask('toString')).rejects.toMatchObject({ code: 'CONTROL_REQUEST' })
})

test.each([
  ['no JSON', 'hello\n', 'a line is no JSON'],
  ['no request', '[1]\n', 'a line has no id and method'],
  ['nothing', 'null\n', 'a line has no id and method'],
  ['a text', '"id"\n', 'a line has no id and method'],
  ['a method that is none', '{"id":1,"method":7}\n', 'a line has no id and method'],
  ['an id that is none', '{"id":{},"method":"echo"}\n', 'a line has no id and method'],
  ['a line without an end', 'x'.repeat(300), 'a line is longer than 200 bytes'],
  ['a long line', `${'x'.repeat(300)}\n`, 'a line is longer than 200 bytes'],
])('%s is answered and cut off', async (_what, text, problem) => {
  await open(echo, { mostBytes: 200 })
  expect(JSON.parse(await say(text))).toMatchObject({ id: null, error: { code: 'CONTROL_REQUEST', params: { problem } } })
  expect(await ask('echo', 'still there')).toEqual({ said: 'still there' })
})

test.each(['"a"', '7'])('a request with the id %s is answered by it', async (id) => {
  await open(echo)
  const socket = connect(path(), () => socket.write(`{"id":${id},"method":"echo","params":"x"}\n`))
  const heard = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
  socket.destroy()
  expect(JSON.parse(heard)).toEqual({ id: JSON.parse(id), result: { said: 'x' } })
})

test('one client more than there may be is told so', async () => {
  let free: () => void = () => undefined
  const slow = new Promise<void>((resolve) => (free = resolve))
  let began: () => void = () => undefined
  const busy = new Promise<void>((resolve) => (began = resolve))
  const methods: ControlMethods = {
    slow: async () => {
      began()
      await slow
      return 'done'
    },
  }
  await open(methods, { mostClients: 1 })
  const first = ask('slow')
  await busy
  await expect(ask('slow')).rejects.toMatchObject({ code: 'CONTROL_REQUEST', params: { problem: 'too many ask at the same time' } })
  free()
  expect(await first).toBe('done')
})

test('who has gone or was cut off leaves the place to others', async () => {
  await open(echo, { mostClients: 1 })
  const isFree = async (): Promise<boolean> =>
    ask('echo', 'x').then(
      () => true,
      () => false,
    )
  await expect.poll(isFree, { timeout: 5000 }).toBe(true)
  // This one says nonsense and never hangs up by itself.
  const stubborn = connect({ path: path(), allowHalfOpen: true }, () => stubborn.write('nonsense\n'))
  // Being cut off may look like a connection that broke.
  stubborn.on('error', () => undefined)
  await new Promise((resolve) => stubborn.once('data', resolve))
  await expect.poll(isFree, { timeout: 5000 }).toBe(true)
  stubborn.destroy()
})

test('closing hangs up on those who wait, and on those who say nothing', async () => {
  let began: (signal: AbortSignal) => void = () => undefined
  const given = new Promise<AbortSignal>((resolve) => (began = resolve))
  await open({ long: (_params, gone) => new Promise(() => began(gone)) })
  const asking = ask('long').catch((error: unknown) => error)
  const gone = await given
  const silent = connect(path()).on('error', () => undefined)
  const over = new Promise((resolve) => silent.once('connect', () => silent.once('close', resolve)))
  await new Promise((resolve) => silent.once('connect', resolve))
  await control?.close()
  await expect.poll(() => gone.aborted).toBe(true)
  await over
  expect(await asking).toMatchObject({ code: 'CONTROL_UNREACHABLE', params: { detail: 'it ended before it answered' } })
})

test('what answers without sense, or was started by an older version, cannot be asked', async () => {
  const server = createServer((socket) => socket.resume().end('nonsense\n')).listen(path())
  await new Promise((resolve) => server.once('listening', resolve))
  await expect(ask('echo')).rejects.toMatchObject({ code: 'CONTROL_UNREACHABLE', params: { detail: expect.stringContaining('JSON') } })
  await new Promise((resolve) => server.close(resolve))
  const { gatewayPid } = homeOf(home.home, 'default').files
  const { control: _left, ...old } = JSON.parse(readFileSync(gatewayPid, 'utf8'))
  writeFileSync(gatewayPid, JSON.stringify(old))
  await expect(ask('echo')).rejects.toMatchObject({ params: { detail: 'it was started by an older version' } })
})

test('a place where no socket can be is refused at once', async () => {
  await expect(openControl({ path: join(home.home, 'x'.repeat(120)), methods: echo, log: silentLog })).rejects.toThrow()
})

test.each(['x-agent-0123456789abcdef', 'agent-0123456789abcdef0'])('a home that is called %s is no folder of the channel', async (name) => {
  const folder = join(home.home, name)
  mkdirSync(folder, { mode: 0o755 })
  await (await openControl({ path: join(folder, 'gateway.sock'), methods: echo, log: silentLog })).close()
  expect(existsSync(folder)).toBe(true)
})

test('a folder of the channel into which others may go is refused, and one that is gone already is no problem', async () => {
  const folder = join(home.home, 'agent-0123456789abcdef')
  const far = { path: join(folder, 'gateway.sock'), methods: echo, log: silentLog }
  mkdirSync(folder, { mode: 0o755 })
  await expect(openControl(far)).rejects.toMatchObject({ code: 'HOME_UNUSABLE', params: { path: folder } })
  rmSync(folder, { recursive: true })
  const channel = await openControl(far)
  rmSync(folder, { recursive: true })
  await channel.close()
  expect([
    isPrivate({ uid: 7, mode: 0o40700 }, 7),
    isPrivate({ uid: 7, mode: 0o40700 }, 8),
    isPrivate({ uid: 7, mode: 0o40710 }, 7),
  ]).toEqual([true, false, false])
})

test('a method learns that who asked has gone', async () => {
  let began: (signal: AbortSignal) => void = () => undefined
  const given = new Promise<AbortSignal>((resolve) => (began = resolve))
  await open({
    long: (_params, gone) => new Promise((_resolve, reject) => began(gone) ?? gone.addEventListener('abort', () => reject(gone.reason))),
  })
  const asker = new AbortController()
  const asking = askGateway(homeOf(home.home, 'default'), 'long', undefined, { signal: asker.signal })
  const gone = await given
  const left = new Promise((resolve) => gone.addEventListener('abort', resolve))
  asker.abort(fail('INTERRUPTED'))
  await expect(asking).rejects.toMatchObject({ code: 'INTERRUPTED' })
  await left
})

test('a socket that a dead gateway left is replaced, and closing takes it away', async () => {
  writeFileSync(path(), '')
  await open(echo)
  expect(await ask('echo', 'new')).toEqual({ said: 'new' })
  await control?.close()
  control = undefined
  expect(existsSync(path())).toBe(false)
  await expect(ask('echo')).rejects.toMatchObject({ code: 'CONTROL_UNREACHABLE' })
})

test('without a gateway the error says so', async () => {
  await instance.close()
  await expect(ask('echo')).rejects.toMatchObject({ code: 'GATEWAY_NOT_RUNNING' })
})

test('a home with a long name has its socket elsewhere, in a folder that only its owner may enter', async () => {
  const deep = join(home.home, 'x'.repeat(100))
  mkdirSync(deep)
  const far = controlPath(deep)
  expect(Buffer.byteLength(far)).toBeLessThanOrEqual(100)
  control = await openControl({ path: far, methods: echo, log: silentLog })
  expect(statSync(dirname(far)).mode & 0o777).toBe(0o700)
  const instance = openInstance(homeOf(deep, 'default'), 'boot_2', systemClock)
  expect(await askGateway(homeOf(deep, 'default'), 'echo', 'far', { signal })).toEqual({ said: 'far' })
  await instance.close()
  await control.close()
  control = undefined
  expect(existsSync(dirname(far))).toBe(false)
  expect(controlPath(deep, 'win32')).toMatch(/^\\\\\.\\pipe\\agent-[0-9a-f]{16}$/)
})
