// @module-tag process
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock, CommandWish, EndedCommand, Notice, PreparedCommand, ToolContext, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { missingProgram, needs } from '../../../../test/support/needs.ts'
import { config, type TerminalConfig } from './config.ts'
import { tools } from './tools.ts'
import toolset from './toolset.ts'

const realClock: Clock = { now: () => Date.now(), sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}) }
/** A limit that comes at once, and a pause for output that is real. */
const hastyClock: Clock = { now: () => 0, sleep: (ms, signal) => (ms >= 1000 ? Promise.resolve() : realClock.sleep(ms, signal)) }

let workspace = ''
let undo: (() => void | Promise<void>)[] = []
let notices: Notice[] = []
let explained: EndedCommand[] = []
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'terminal-')))
})
afterEach(async () => {
  for (const disposer of undo.reverse()) await disposer()
  undo = []
  notices = []
  explained = []
  await rm(workspace, { recursive: true })
})

type Use = (name: keyof typeof tools, args: object, about?: { session?: string; signal?: AbortSignal }) => Promise<ToolResult>

/** A small sandbox: what holds is tried with the one of the host. */
const sandbox = [
  ...['--unshare-pid', '--new-session', '--die-with-parent', '--info-fd', '3'],
  ...['--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--'],
]
const bwrapPath = '/usr/bin/bwrap'
const sandboxed = needs(missingProgram(bwrapPath, 'bubblewrap'))

async function open(clock: Clock = realClock, settings: Partial<TerminalConfig> = {}, bwrap = ''): Promise<Use> {
  const context = {
    clock,
    config: config.parse(settings),
    sandbox: {
      prepare: async ({ argv: [file = '', ...args], outside }: CommandWish): Promise<PreparedCommand> => {
        const environment = { PATH: process.env.PATH ?? '', GREETING: 'hello' }
        if (!bwrap || outside) return { file, args, environment, contained: false, infoPipe: null }
        return { file: bwrap, args: [...sandbox, file, ...args], environment, contained: true, infoPipe: 3 }
      },
      explain: async (ended: EndedCommand) => {
        explained.push(ended)
        return ended.failed ? 'It is forbidden.' : undefined
      },
    },
    notify: (notice: Notice) => void notices.push(notice),
    effect: (disposer: () => void | Promise<void>) => void undo.push(disposer),
  } as unknown as ToolContext<TerminalConfig>
  const opened = await toolset.open(context, { id: 'c', signal: new AbortController().signal, deadline: 1000 })
  return async (name, args, { session = 'ses_1', signal = new AbortController().signal } = {}) => {
    const run = opened.tools[name] as ToolRun
    const toolCall = {
      id: 'c',
      args: tools[name].parameters.parse(args),
      session,
      turn: 't',
      workspace,
      progress: () => undefined,
      ask: async () => '',
    }
    return run(toolCall, { id: 'c', signal, deadline: 1000 })
  }
}

const text = (result: ToolResult): string => (result.ok ? result.text : (result.text ?? `failed: ${result.error.params.detail}`))
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
async function untilDead(pid: number): Promise<void> {
  while (isAlive(pid)) await wait(5)
}

test('a command runs in the workspace with the given environment and nothing else', async () => {
  const use = await open()
  expect(await use('terminal', { command: 'pwd; echo $GREETING; echo problem >&2; echo "[$HOME]"' })).toEqual({
    ok: true,
    folder: workspace,
    text: `${workspace}\nhello\nproblem\n[]`,
    data: { exit_code: 0 },
  })
  expect(text(await use('terminal', { command: 'true' }))).toBe('(no output)')
})

test('folder and exported variables persist per session, also over exit and odd values', async () => {
  await mkdir(join(workspace, "it's"))
  const use = await open()
  expect(text(await use('terminal', { command: `cd "it's"; export ODD="a'b\n\\"c\\" $"; local_one=x; exit 3` }))).toBe(
    `(exit code 3)\n(now in ${workspace}/it's)`,
  )
  expect(text(await use('terminal', { command: 'pwd; echo "$ODD"; echo "[$local_one]"' }))).toBe(`${workspace}/it's\na'b\n"c" $\n[]`)
  expect(text(await use('terminal', { command: 'pwd; echo "[$ODD]"' }, { session: 'ses_2' }))).toBe(`${workspace}\n[]`)
})

test('workdir is for one command, and a vanished folder falls back to the workspace', async () => {
  await mkdir(join(workspace, 'sub'))
  const use = await open()
  expect(text(await use('terminal', { command: 'export A=1; pwd', workdir: 'sub' }))).toBe(join(workspace, 'sub'))
  expect(text(await use('terminal', { command: 'echo $A; pwd; cd sub; rmdir ../sub' }))).toContain(`1\n${workspace}`)
  expect(text(await use('terminal', { command: 'pwd' }))).toBe(`there is no folder ${workspace}/sub\n(exit code 1)\n(now in ${workspace})`)
  expect(text(await use('terminal', { command: 'pwd; echo $A' }))).toBe(`${workspace}\n1`)
  expect(text(await use('terminal', { command: 'pwd', workdir: 'none' }))).toContain('there is no folder')
})

test('without a persistent shell nothing carries over', async () => {
  const use = await open(realClock, { persistent_shell: false })
  await use('terminal', { command: 'cd /; export A=1' })
  expect(text(await use('terminal', { command: 'pwd; echo "[$A]"' }))).toBe(`${workspace}\n[]`)
})

test.each([
  ['exit 7', '(exit code 7)'],
  ['no-such-program-here', '(exit code 127: command not found)'],
  ['kill -SEGV $$', 'segmentation fault)'],
  ['bash -c "kill -9 \\$\\$"', '(exit code 137: killed by SIGKILL, often because memory ran out)'],
  ['if then', '(exit code'],
])('%s is explained', async (command, words) => {
  const result = await (await open())('terminal', { command })
  expect(result.ok).toBe(true)
  expect(text(result)).toContain(words)
})

test('five megabytes of output keep head and tail', async () => {
  const result = text(await (await open())('terminal', { command: 'echo first; head -c 5000000 /dev/zero | tr "\\0" x; echo last' }))
  expect(result.length).toBeLessThan(51_000)
  expect(result).toMatch(/^first\n/)
  expect(result).toMatch(/… 4950011 characters left out …/)
  expect(result).toMatch(/last$/)
})

test('a command over its limit is killed with its whole group and keeps its output', async () => {
  const use = await open(hastyClock)
  const result = await use('terminal', { command: 'sh -c "trap \'\' TERM; sleep 300" & echo $!; wait', timeout: 1 })
  expect(result).toMatchObject({ ok: false, error: { code: 'TIMED_OUT', params: { ms: 1000 } } })
  expect(text(result)).toContain('not finished after 1 s')
})

test('what a command over its limit has started is not there any more, also what ignores a polite end', async () => {
  let reach = (): void => undefined
  const limit = new Promise<void>((resolve) => (reach = resolve))
  const use = await open({ ...hastyClock, sleep: (ms, signal) => (ms >= 1000 ? limit : realClock.sleep(ms, signal)) })
  await use('terminal', { command: 'mkfifo ready' })
  const running = use('terminal', { command: 'sh -c "trap \'\' TERM; echo \\$\\$ > ready; while :; do sleep 0.1; done"', timeout: 1 })
  const pid = Number(text(await use('terminal', { command: 'cat ready' }, { session: 'ses_2' })))
  expect(isAlive(pid)).toBe(true)
  reach()
  expect(await running).toMatchObject({ error: { code: 'TIMED_OUT' } })
  await untilDead(pid)
})

test('an interrupt kills the group at once', async () => {
  const use = await open()
  const interrupt = new AbortController()
  await use('terminal', { command: 'mkfifo ready' })
  const running = use('terminal', { command: 'sleep 300 & echo $! > ready; wait' }, { signal: interrupt.signal })
  const pid = Number(text(await use('terminal', { command: 'cat ready' }, { session: 'ses_2' })))
  interrupt.abort()
  expect(await running).toMatchObject({ ok: false, error: { code: 'INTERRUPTED' } })
  await untilDead(pid)
})

/** Each writes the number of a process that is hard to find into `pid`, once it runs. */
const astray = {
  'of another session': 'setsid sh -c "echo \\$\\$ > ready; exec sleep 300"',
  'of another session whose parent has ended': '(setsid sh -c "echo \\$\\$ > ready; exec sleep 300" &); sleep 300',
  'three levels down that ignores signals': `sh -c 'sh -c "trap \\"\\" TERM HUP INT; echo \\$\\$ > ready; while :; do sleep 1; done" & wait' & wait`,
  'that was sent away': 'nohup sh -c "echo \\$\\$ > ready; exec sleep 300" > /dev/null 2>&1 & disown; sleep 300',
  'whose environment is empty, of another session': 'setsid env -i sh -c "echo \\$\\$ > ready; exec sleep 300"',
}
test.each(Object.entries(astray))('an interrupt ends a process %s', async (_what, command) => {
  const use = await open()
  const interrupt = new AbortController()
  await use('terminal', { command: 'mkfifo ready' })
  const running = use('terminal', { command }, { signal: interrupt.signal })
  const pid = Number(text(await use('terminal', { command: 'cat ready' }, { session: 'ses_2' })))
  const other = await use('terminal', { command: 'sleep 300', background: true }, { session: 'ses_2' })
  expect(isAlive(pid)).toBe(true)
  interrupt.abort()
  expect(await running).toMatchObject({ ok: false, error: { code: 'INTERRUPTED' } })
  await untilDead(pid)
  expect(isAlive(Number(/pid (\d+)/.exec(text(other))?.[1]))).toBe(true)
})

test('an interrupt ends all that runs in the sandbox of a command', sandboxed, async () => {
  const use = await open(realClock, {}, bwrapPath)
  const interrupt = new AbortController()
  const word = `300.${process.pid}`
  const isThere = (): boolean => spawnSync('pgrep', ['-f', `sleep ${word}`]).status === 0
  const command = `(setsid env -i sleep ${word} &); mkfifo ready; echo > ready; sleep ${word}`
  const running = use('terminal', { command }, { signal: interrupt.signal })
  await use('terminal', { command: 'until [ -p ready ]; do sleep 0.01; done; cat ready' }, { session: 'ses_2' })
  expect(isThere()).toBe(true)
  interrupt.abort()
  await running
  while (isThere()) await wait(5)
})

test('closing in the middle of a command ends it', async () => {
  const use = await open()
  await use('terminal', { command: 'mkfifo ready' })
  const running = use('terminal', { command: 'echo > ready; sleep 300' })
  await use('terminal', { command: 'cat ready' }, { session: 'ses_2' })
  for (const disposer of undo.splice(0).reverse()) await disposer()
  expect(text(await running)).toContain('exit code 143')
})

test('a command does not wait for what it leaves in the background, and closing ends that too', async () => {
  const use = await open()
  const pid = Number(text(await use('terminal', { command: 'sleep 300 & echo $!' })))
  expect(isAlive(pid)).toBe(true)
  for (const disposer of undo.splice(0).reverse()) await disposer()
  await untilDead(pid)
})

test('a background process is written to, read, waited for and listed', async () => {
  const use = await open()
  const started = text(await use('terminal', { command: 'while read line; do echo "got $line"; done; exit 4', background: true }))
  const process_id = started.match(/proc_\w+/)?.[0]
  expect(text(await use('process', { action: 'submit', process_id, data: 'one' }))).toContain('Sent 4 characters')
  await use('process', { action: 'write', process_id, data: 'two\n' })
  await use('process', { action: 'close', process_id })
  expect(text(await use('process', { action: 'wait', process_id }))).toBe(`${process_id} finished (exit code 4)\ngot one\ngot two`)
  expect(text(await use('process', { action: 'poll', process_id }))).toBe(`${process_id} finished (exit code 4)`)
  expect(text(await use('process', { action: 'log', process_id, limit: 1 }))).toBe(`${process_id} finished (exit code 4)\ngot two`)
  expect(text(await use('process', { action: 'list' }))).toContain(`${process_id} finished (exit code 4): while read`)
  expect(text(await use('process', { action: 'submit', process_id, data: 'x' }))).toContain('does not read input any more')
})

test('kill ends a background process; other sessions do not see it', async () => {
  const use = await open()
  const started = text(await use('terminal', { command: 'sleep 300', background: true }))
  const process_id = started.match(/proc_\w+/)?.[0]
  const pid = Number(started.match(/pid (\d+)/)?.[1])
  expect(text(await use('process', { action: 'list' }, { session: 'ses_2' }))).toBe('There are no processes.')
  expect(text(await use('process', { action: 'kill', process_id }, { session: 'ses_2' }))).toContain('there is no process')
  expect(text(await use('process', { action: 'kill', process_id }))).toContain('exit code 143')
  expect(isAlive(pid)).toBe(false)
  expect(text(await use('process', { action: 'poll' }))).toContain('poll needs process_id')
})

test('64 finished processes are remembered, and closing ends the running ones', async () => {
  const use = await open()
  const running = text(await use('terminal', { command: 'sleep 300', background: true }))
  for (let index = 0; index < 70; index++) {
    const started = text(await use('terminal', { command: 'exit 0', background: true }))
    await use('process', { action: 'wait', process_id: started.match(/proc_\w+/)?.[0] })
  }
  const lines = text(await use('process', { action: 'list' })).split('\n')
  expect(lines.filter((line) => line.includes('finished'))).toHaveLength(64)
  for (const disposer of undo.splice(0).reverse()) await disposer()
  await untilDead(Number(running.match(/pid (\d+)/)?.[1]))
})

test('people are told when a process in the background starts and how it ends', async () => {
  const use = await open()
  await use('terminal', { command: "echo 'fine ```'", background: true })
  await expect.poll(() => notices.length).toBe(2)
  await use('terminal', { command: 'seq 1 30\nexit 3', background: true }, { session: 'ses_2' })
  await expect.poll(() => notices.length).toBe(4)
  const started = "Started in the background: ```` echo 'fine ```' ````"
  expect(notices[0]).toEqual({ session: 'ses_1', kind: 'started', text: started })
  expect(notices[1]).toMatchObject({ session: 'ses_1', kind: 'result' })
  expect(notices[1]?.text).toMatch(/^Ended in the background after \d+ s: .* \(exit code 0\)\n\n````\nfine ```\n````$/)
  expect(notices[3]).toMatchObject({ session: 'ses_2', kind: 'error' })
  expect(notices[3]?.text).toMatch(/: `seq 1 30 exit 3` \(exit code 3\)\n\n```\n21\n22\n[\s\S]*\n30\n```$/)
})

test('what is told is bounded, and a process that cannot be started is told as failed', async () => {
  const use = await open()
  await use('terminal', { command: `true ${'x'.repeat(500)}; head -c 100000 /dev/zero | tr "\\0" y`, background: true })
  await expect.poll(() => notices.length).toBe(2)
  expect(Math.max(...notices.map(({ text }) => text.length))).toBeLessThan(1400)
  await use('terminal', { command: 'no-such-program-here', background: true })
  await expect.poll(() => notices.at(-1)).toMatchObject({ kind: 'error', text: expect.stringContaining('command not found') })
})

test('nobody is told of an end that a call waits for or brings about, nor of those that the close ends', async () => {
  const use = await open()
  const start = async (command: string): Promise<string | undefined> =>
    text(await use('terminal', { command, background: true })).match(/proc_\w+/)?.[0]
  const reader = await start('read line; exit 3')
  const waiting = use('process', { action: 'wait', process_id: reader })
  await use('process', { action: 'submit', process_id: reader, data: 'go' })
  expect(text(await waiting)).toContain('exit code 3')
  await use('process', { action: 'kill', process_id: await start('sleep 300') })
  await start('sleep 301')
  for (const disposer of undo.splice(0).reverse()) await disposer()
  expect(notices.map(({ kind }) => kind)).toEqual(['started', 'started', 'started'])
})

test('in a sandbox the shell keeps its state, and what it leaves running ends with it and is named', sandboxed, async () => {
  const use = await open(realClock, {}, bwrapPath)
  await mkdir(join(workspace, 'sub'))
  const mark = `86410.${process.pid}`
  expect(text(await use('terminal', { command: `cd sub; export A=1; sleep ${mark} & echo on` }))).toBe(
    `on\n(now in ${workspace}/sub)\n(what it left running has ended with it; background: true keeps a process)`,
  )
  expect(text(await use('terminal', { command: `pwd; echo $A; ps ax | grep -c "[s]leep ${mark}"; true` }))).toBe(`${workspace}/sub\n1\n0`)
})

test('outside of the sandbox nothing counts that a command in it has set, and nothing is kept', sandboxed, async () => {
  const use = await open(realClock, {}, bwrapPath)
  await mkdir(join(workspace, 'sub'))
  await use('terminal', { command: 'cd sub; export A=1 PATH=/planted:$PATH' })
  const outside = { command: 'pwd; echo "[$A] $PATH"; cd /; export B=2; readlink /proc/self/ns/pid', outside: true, reason: 'to see' }
  const [folder, variables, table] = text(await use('terminal', outside)).split('\n')
  expect([folder, variables?.startsWith('[] '), variables?.includes('planted')]).toEqual([workspace, true, false])
  const inside = text(await use('terminal', { command: 'pwd; echo "$A$B"; readlink /proc/self/ns/pid' })).split('\n')
  expect(inside.slice(0, 2)).toEqual([`${workspace}/sub`, '1'])
  expect(inside[2]).not.toBe(table)
})

test('in a sandbox a failure is explained, and a good end is not', sandboxed, async () => {
  const use = await open(realClock, {}, bwrapPath)
  expect(text(await use('terminal', { command: 'echo no; exit 4' }))).toBe(
    'no\n(exit code 4)\n(It is forbidden. outside: true with a reason asks a person to run it without the sandbox.)',
  )
  expect(explained).toEqual([{ session: 'ses_1', workspace, command: 'echo no; exit 4', output: 'no\n', failed: true }])
  expect(text(await use('terminal', { command: 'echo yes' }))).toBe('yes')
})

test('in a sandbox a process in the background is ended politely, and hears nothing of numbers', sandboxed, async () => {
  const use = await open(realClock, {}, bwrapPath)
  const started = text(
    await use('terminal', { command: 'trap "echo bye; exit 5" TERM; echo ready; while :; do sleep 0.05; done', background: true }),
  )
  expect(started).toMatch(/^Started proc_\w+\.$/)
  const process_id = started.match(/proc_\w+/)?.[0]
  await expect.poll(async () => text(await use('process', { action: 'log', process_id }))).toContain('ready')
  expect(text(await use('process', { action: 'kill', process_id }))).toMatch(/exit code 5\)[\s\S]*bye$/)
})

test('in a sandbox a command over its limit and an interrupted one leave nothing running', sandboxed, async () => {
  const marks = [`86411.${process.pid}`, `86412.${process.pid}`] as const
  const hasty = await open(hastyClock, {}, bwrapPath)
  expect(await hasty('terminal', { command: `trap '' TERM; setsid sleep ${marks[0]} & sleep ${marks[0]}`, timeout: 1 })).toMatchObject({
    error: { code: 'TIMED_OUT' },
  })
  const use = await open(realClock, {}, bwrapPath)
  const interrupt = new AbortController()
  await use('terminal', { command: 'mkfifo ready' })
  const running = use('terminal', { command: `setsid sleep ${marks[1]} & echo > ready; wait` }, { signal: interrupt.signal })
  await use('terminal', { command: 'cat ready' }, { session: 'ses_2' })
  interrupt.abort()
  expect(await running).toMatchObject({ error: { code: 'INTERRUPTED' } })
  const seen = async (): Promise<string> =>
    text(await (await open())('terminal', { command: `ps ax | grep -E "[s]leep (${marks.join('|')})"` }))
  await expect.poll(seen).not.toContain('sleep')
})

test('a sandbox that is demanded and missing is an error with its code', async () => {
  const refusing = { prepare: () => Promise.reject(new Error('SANDBOX_MISSING')), explain: async () => undefined }
  const context = { clock: realClock, config: config.parse({}), sandbox: refusing, notify: () => undefined, effect: () => undefined }
  const { tools: opened } = await toolset.open(context as unknown as ToolContext<TerminalConfig>, {
    id: 'c',
    signal: new AbortController().signal,
    deadline: 1000,
  })
  const toolCall = {
    id: 'c',
    args: { command: 'true' },
    session: 's',
    turn: 't',
    workspace,
    progress: () => undefined,
    ask: async () => '',
  }
  await expect((opened.terminal as ToolRun)(toolCall, { id: 'c', signal: new AbortController().signal, deadline: 1000 })).rejects.toThrow(
    'SANDBOX_MISSING',
  )
})
