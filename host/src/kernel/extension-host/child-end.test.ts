import type { SpawnOptions, ChildProcess as SystemProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { type ChildSystem, startChild } from './child-process.ts'

/** A process that is none: pipes and events of the test. `child-process.test.ts` starts real ones. */
function openSystem({ fails }: { readonly fails?: Error } = {}) {
  const did: unknown[] = []
  const [out, errors, border, status] = [new PassThrough(), new PassThrough(), new PassThrough(), new PassThrough()]
  const child = Object.assign(new EventEmitter(), {
    ...{ stdio: [null, out, errors, border, status], stdout: out, stderr: errors, pid: 70 },
    ...{ exitCode: null as number | null, signalCode: null as string | null },
    kill: (signal: string) => did.push(`kill 70 ${signal}`),
  })
  const system: ChildSystem = {
    spawn: (file, args, options: SpawnOptions) => {
      did.push([file, args, options])
      setImmediate(() => (fails ? child.emit('error', fails) : child.emit('spawn')))
      return child as unknown as SystemProcess
    },
    kill: (pid, signal) => {
      did.push(`kill ${pid} ${signal}`)
      if (pid === 81) throw Object.assign(new Error('no such process'), { code: 'ESRCH' })
      if (pid === 82) throw Object.assign(new Error('not allowed'), { code: 'EPERM' })
    },
    endTogether: (_child, onTrouble) => onTrouble('watched'),
  }
  const end = (code: number | null, signal: string | null = null): void => {
    child.exitCode = code
    child.signalCode = signal
    child.emit('close', code, signal)
  }
  return { system, did, out, errors, border, status, end, child }
}

async function start(sandboxed: boolean, world = openSystem()) {
  const clock = createFakeClock()
  const lines: string[] = []
  const command = { file: '/bin/node', args: ['a', 'b'], sandboxed, warnings: [] }
  const child = await startChild(command, { cwd: '/work', clock, onLine: (line) => lines.push(line) }, world.system)
  const say = async (pipe: PassThrough, text: string): Promise<void> => {
    pipe.write(text)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...world, child, clock, lines, say }
}

test('a child gets no variables, one pipe to the host, and in a sandbox another on which that tells how it goes', async () => {
  const [plain, boxed] = [await start(false), await start(true)]
  const options = { cwd: '/work', env: {}, windowsHide: true }
  const pipes = ['ignore', 'pipe', 'pipe', 'pipe']
  expect(plain.did).toEqual([['/bin/node', ['a', 'b'], { ...options, stdio: pipes }]])
  expect(boxed.did).toEqual([['/bin/node', ['a', 'b'], { ...options, stdio: [...pipes, 'pipe'] }]])
  expect([plain.child.pipe, boxed.child.pipe]).toEqual([plain.border, boxed.border])
})

test('what cannot be started is told with its name', async () => {
  const world = openSystem({ fails: new Error('spawn ENOENT') })
  await expect(start(false, world)).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    params: { plugin: '/bin/node', detail: 'spawn ENOENT' },
  })
})

test('lines of both outputs are handed on; only outside of a sandbox somebody else watches it', async () => {
  for (const sandboxed of [false, true]) {
    const { lines, say, out, errors } = await start(sandboxed)
    await say(out, 'one\n')
    await say(errors, 'two\n')
    expect(lines).toEqual([...(sandboxed ? [] : ['watched']), 'one', 'two'])
  }
})

test('its number is its own, in a sandbox the one that the sandbox tells', async () => {
  const [plain, boxed] = [await start(false), await start(true)]
  expect([plain.child.pid(), boxed.child.pid()]).toEqual([70, undefined])
  await boxed.say(boxed.status, '{"child-')
  await boxed.say(boxed.status, 'pid": 80}\n')
  expect(boxed.child.pid()).toBe(80)
})

const begun = '{"child-pid": 80}\n{"exit-code": 0}\n'
test.each([
  [false, '', 3, null, { detail: 'its process ended with code 3', before: false }],
  [false, '', null, 'SIGKILL', { detail: 'its process was ended by SIGKILL', before: false }],
  [false, '', 137, null, { detail: 'its process ended with code 137', before: false }],
  [true, begun, 0, null, { detail: 'its process ended with code 0', before: false }],
  [true, begun, 137, null, { detail: 'its process was ended by SIGKILL', before: false }],
  [true, begun, 134, null, { detail: 'its process was ended by SIGABRT', before: false }],
  [true, begun, 255, null, { detail: 'its process ended with code 255', before: false }],
  [true, '{"child-pid": 80}', 1, null, { detail: 'its sandbox could not be set up: code 1', before: true }],
  [true, '', null, 'SIGTERM', { detail: 'its process was ended by SIGTERM', before: false }],
] as const)('sandboxed: %j, told %j: code %j and signal %j are put in words', async (sandboxed, told, code, signal, words) => {
  const { child, status, say, end } = await start(sandboxed)
  await say(status, told)
  end(code, signal)
  expect(await child.ended).toEqual(words)
})

test('a sandbox that could not be set up says why in its last line', async () => {
  const { child, errors, say, end } = await start(true)
  await say(errors, 'first\nbwrap: no such folder\n')
  end(1)
  expect(await child.ended).toEqual({ detail: 'its sandbox could not be set up: bwrap: no such folder', before: true })
})

test.each([
  ['outside of a sandbox', false, '', false, ['kill 70 SIGKILL']],
  ['in one that has told nothing', true, '', false, ['kill 70 SIGKILL']],
  ['in one that runs', true, '{"child-pid": 80}', false, ['kill 80 SIGKILL', 'kill 70 SIGKILL']],
  ['in one whose first process is gone', true, '{"child-pid": 81}', false, ['kill 81 SIGKILL', 'kill 70 SIGKILL']],
  ['in one whose program has ended', true, begun, false, ['kill 70 SIGKILL']],
  ['in one that has ended', true, '{"child-pid": 80}', true, ['kill 70 SIGKILL']],
] as const)('%s it is killed as a whole, and never a number that may be of another', async (_name, sandboxed, told, hasEnded, kills) => {
  for (const ended of hasEnded
    ? ([
        [0, null],
        [null, 'SIGTERM'],
      ] as const)
    : [undefined]) {
    const { child, status, say, did, end } = await start(sandboxed)
    await say(status, told)
    if (ended) end(ended[0], ended[1])
    child.kill()
    expect(did.slice(1)).toEqual(kills)
  }
})

test('what the system does not allow is said', async () => {
  const { child, status, say } = await start(true)
  await say(status, '{"child-pid": 82}')
  expect(() => child.kill()).toThrow('not allowed')
})

test('one that ends in its time is not killed, one that does not is, and both are waited for', async () => {
  const { child, clock, did, end } = await start(false)
  let isOver = false
  const finished = child.finish(2000).then(() => (isOver = true))
  await clock.advance(1999)
  expect(did).toHaveLength(1)
  await clock.advance(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect([did.slice(1), isOver]).toEqual([['kill 70 SIGKILL'], false])
  end(null, 'SIGKILL')
  await finished
  const quick = await start(false)
  const over = quick.child.finish(2000)
  quick.end(0)
  await over
  expect(quick.did).toHaveLength(1)
})
