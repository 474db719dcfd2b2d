// @module-tag process
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolCall } from '@agent/plugin-sdk'
import { afterAll, expect, test } from 'vitest'
import { clock, openCode, places } from '../test/open-code.ts'

const folder = mkdtempSync(join(tmpdir(), 'code-state-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const gone = 'The interpreter has ended, and with it all that scripts had left in it.'
const began = (reason: string): string => `The script began without what earlier ones had left; their interpreter is gone: ${reason}.`
const room = 'it made room for a newer one (code_execution.max_session_kernels)'

const languages = ['python', 'javascript'] as const
const everywhere = languages.flatMap((language) => places.map((place) => [language, place] as const))

/** A script that sets `x`, one that prints it, and one that ends its interpreter. */
const scripts = {
  python: {
    set: 'x = 7',
    get: 'print(x)',
    end: 'import os\nos._exit(3)',
    number: 'import os\nprint(os.getpid())',
    wait: 'import time\ntime.sleep(60)',
  },
  javascript: {
    set: 'const x = 7',
    get: 'console.log(x)',
    end: 'process.exit(3)',
    number: 'console.log(process.pid)',
    wait: 'setInterval(() => 1, 9)',
  },
}

test.each(everywhere)('in %s %s the next script has the names of the one before', async (language, place) => {
  await using code = await openCode({ folder, place })
  const [first, second, third] = {
    python: [
      "import json as j\nlimit = 3\ndef twice(n):\n    return n * 2\nprint('one')",
      "print(j.dumps(twice(limit)), read_file('a'))\nlimit = 4",
      'print(twice(limit))',
    ],
    javascript: [
      "import { join as j } from 'node:path'\nconst limit = await Promise.resolve(3)\nlet twice = (n) => n * 2\nclass C {}\nfunction f() { return limit }\nconsole.log('one')",
      "console.log(j('a', String(twice(limit))), (await read_file('a')).text, typeof C)\nlet twice = (n) => n * 3\nconst limit = 3",
      'console.log(twice(limit), f())',
    ],
  }[language] as [string, string, string]
  expect((await code.run(language, first)).data).toMatchObject({ status: 'success', output: 'one\n' })
  const said = { python: '6 read_file {"path":"a"}\n', javascript: 'a/6 read_file {"path":"a"} function\n' }[language]
  expect((await code.run(language, second)).data).toEqual({
    ...{ status: 'success', tool_calls_made: 1, duration_seconds: expect.any(Number) },
    output: said,
  })
  expect((await code.run(language, third)).data.output).toBe({ python: '8\n', javascript: '9 3\n' }[language])
})

test.each(languages)('in %s sessions and languages have interpreters that know nothing of each other', async (language) => {
  await using code = await openCode({ folder })
  await code.run(language, scripts[language].set)
  expect((await code.run(language, scripts[language].get, { session: 'other' })).data).toMatchObject({ status: 'error', output: '' })
  const [other] = languages.filter((each) => each !== language)
  expect((await code.run(other ?? '', scripts[other ?? language].get)).data.status).toBe('error')
  expect((await code.run(language, scripts[language].get)).data.output).toBe('7\n')
})

test.each(languages)('in %s a script can begin afresh', async (language) => {
  await using code = await openCode({ folder })
  await code.run(language, scripts[language].set)
  const { data } = await code.run(language, scripts[language].get, { reset: true })
  expect(data).toMatchObject({ status: 'error', stderr: expect.stringMatching(/x.* is not defined/) })
  expect(data.note).toBeUndefined()
})

test.each(languages)('in %s an error of a script is no end of what there is', async (language) => {
  await using code = await openCode({ folder })
  await code.run(language, scripts[language].set)
  const failing = { python: "y = 1\nraise ValueError('odd')", javascript: "const y = 1\nawait 0\nthrow new RangeError('odd')" }[language]
  const { data } = await code.run(language, failing)
  expect(data).toMatchObject({ status: 'error', stderr: expect.stringMatching(/script-2\.(py|mjs).*odd/s) })
  expect(data.note).toBeUndefined()
  const both = { python: 'print(x, y)', javascript: 'console.log(x, y)' }[language]
  expect((await code.run(language, both)).data.output).toBe('7 1\n')
})

test.each(everywhere)('in %s %s an interpreter that dies says so, and the next one too', async (language, place) => {
  await using code = await openCode({ folder, place })
  const { set, get, end } = scripts[language]
  await code.run(language, set)
  const died = await code.run(language, end)
  expect(died.data).toMatchObject({ status: 'error', error: expect.stringContaining('exit code 3') })
  expect(died.data.note).toContain(gone)
  const next = await code.run(language, get)
  expect(next.data).toMatchObject({ status: 'error', note: expect.stringContaining('The script began without what earlier ones had left') })
  await code.run(language, set)
  expect((await code.run(language, get)).data).toMatchObject({ status: 'success', output: '7\n' })
})

test.each(everywhere)('in %s %s an interruption and the end of its time end the interpreter', async (language, place) => {
  const { set, get, wait } = scripts[language]
  let over: () => void = () => undefined
  const limited: typeof clock = {
    ...clock,
    sleep: (ms, signal) =>
      ms === 60_000
        ? new Promise((resolve) => {
            over = resolve
          })
        : clock.sleep(ms, signal),
  }
  await using code = await openCode({ folder, place, clock: limited })
  for (const [status, isTime] of [
    ['timeout', true],
    ['interrupted', false],
  ] as const) {
    await code.run(language, set)
    const stop = new AbortController()
    const tools: ToolCall['tools'] = {
      call: async () => {
        if (isTime) over()
        else stop.abort()
        return { ok: true, text: '' }
      },
    }
    const call = { python: "read_file('a')\n", javascript: "await read_file('a')\n" }[language]
    const { data } = await code.run(language, `${call}${wait}`, { tools, signal: stop.signal })
    expect(data).toMatchObject({ status, note: expect.stringContaining(gone) })
    expect((await code.run(language, get)).data.note).toContain('The script began without what earlier ones had left')
  }
})

test.each(places)('%s what a script starts in the background lives with its interpreter', async (place) => {
  const nap = `86407.${process.pid}${place.length}`
  const open = await openCode({ folder, place })
  await open.run('python', `import subprocess\nchild = subprocess.Popen(['sleep', '${nap}'], start_new_session=True)`)
  expect((await open.run('python', 'print(child.poll())')).data.output).toBe('None\n')
  expect(left(nap).length).toBeGreaterThan(0)
  await open[Symbol.asyncDispose]()
  await expect.poll(() => left(nap)).toEqual([])
})

test('an interpreter that nobody uses ends in its time, by one timer', async () => {
  let now = 1_000_000
  const timers = new Set<{ readonly ms: number; readonly fire: () => void }>()
  const idle: typeof clock = {
    now: () => now,
    sleep: (ms, signal) => {
      if (ms < 500_000 || ms > 1_800_000) return clock.sleep(ms, signal)
      return new Promise((resolve, reject) => {
        const timer = { ms, fire: () => resolve() }
        timers.add(timer)
        signal?.addEventListener('abort', () => {
          timers.delete(timer)
          reject(signal.reason)
        })
      })
    },
  }
  await using code = await openCode({ folder, clock: idle })
  expect(timers.size).toBe(0)
  await code.run('python', 'x = 7', { session: 'a' })
  now += 600_000
  await code.run('python', 'x = 8', { session: 'b' })
  expect([...timers].map(({ ms }) => ms)).toEqual([1_200_000])
  now += 1_200_000
  const [timer] = timers
  timers.clear()
  timer?.fire()
  await expect.poll(() => [...timers].map(({ ms }) => ms)).toEqual([600_000])
  expect((await code.run('python', 'print(x)', { session: 'b' })).data.output).toBe('8\n')
  const note = began('nobody used it for 1800 seconds (code_execution.kernel_idle_timeout)')
  expect((await code.run('python', 'print(x)', { session: 'a' })).data).toMatchObject({ status: 'error', note })
})

test('where one more is wanted, the one that was used the longest ago ends', async () => {
  await using code = await openCode({ folder, config: { max_session_kernels: 2 } })
  for (const session of ['a', 'b', 'a', 'c']) await code.run('python', 'x = globals().get("x", 0) + 1', { session })
  expect((await code.run('python', 'print(x)', { session: 'a' })).data.output).toBe('2\n')
  expect((await code.run('python', 'print(x)', { session: 'b' })).data.note).toBe(began(room))
})

test('where all are at work, nobody waits, and there are no more of them afterwards', async () => {
  await using code = await openCode({ folder, config: { max_session_kernels: 1 } })
  let inner: Promise<unknown> | undefined
  const tools: ToolCall['tools'] = {
    call: async () => {
      inner = code.run('python', 'x = 1', { session: 'b' })
      await inner
      return { ok: true, text: '' }
    },
  }
  await code.run('python', "read_file('a')\nx = 2", { session: 'a', tools })
  expect(await inner).toMatchObject({ ok: true })
  expect((await code.run('python', 'print(x)', { session: 'a' })).data.output).toBe('2\n')
  expect((await code.run('python', 'print(x)', { session: 'b' })).data.note).toBe(began(room))
})

test('another sandbox, environment or folder is another interpreter', async () => {
  const other = mkdtempSync(join(folder, 'other-'))
  await using code = await openCode({ folder, place: 'in a sandbox' })
  const note = began('the sandbox, the environment or the folder is another one now')
  await code.run('python', 'x = 7')
  expect((await code.run('python', 'print(x)', { environment: { LANG: 'C' } })).data.note).toContain(note)
  await code.run('python', 'x = 7', { environment: { LANG: 'C' } })
  expect((await code.run('python', 'import os\nprint(os.getcwd())', { folder: other })).data).toMatchObject({
    note: began(String(note.split(': ')[1]).slice(0, -1)),
    output: `${other}\n`,
  })
})

test('scripts of one session run one after another, also where one is interrupted while it waits', async () => {
  await using code = await openCode({ folder })
  const stop = new AbortController()
  const first = code.run('python', "x = 1\nimport time\nread_file('a')\ntime.sleep(0.2)\nx = 2")
  const second = code.run('python', 'print(x)', { signal: stop.signal })
  const third = code.run('python', 'print(x)')
  stop.abort()
  expect(await second).toMatchObject({ ok: false, error: { code: 'INTERRUPTED' } })
  expect((await third).data.output).toBe('2\n')
  await first
})

test.each(languages)('in %s each script starts in the folder of the agent', async (language) => {
  await using code = await openCode({ folder })
  const away = { python: "import os\nos.chdir('/')", javascript: "process.chdir('/')" }[language]
  const where = { python: 'print(os.getcwd())', javascript: 'console.log(process.cwd())' }[language]
  await code.run(language, away)
  expect((await code.run(language, where)).data.output).toBe(`${folder}\n`)
})

test('what a thread prints between scripts belongs to nobody, and its calls of tools are refused', async () => {
  await using code = await openCode({ folder })
  const asked: string[] = []
  const tools: ToolCall['tools'] = { call: async (name) => ({ ok: true, text: String(asked.push(name)) }) }
  const [go, done] = [join(folder, 'go'), join(folder, 'done')]
  const thread = `import os, threading, time
said = []
def late():
    while not os.path.exists('go'):
        time.sleep(0.01)
    print('nobody reads this', flush=True)
    try:
        read_file('a')
    except ToolError as error:
        said.append(error)
    open('done', 'w').close()
threading.Thread(target=late, daemon=True).start()
print('now')`
  expect((await code.run('python', thread, { tools })).data.output).toBe('now\n')
  writeFileSync(go, '')
  await expect.poll(() => existsSync(done), { timeout: 10_000 }).toBe(true)
  expect((await code.run('python', 'print(*said)', { tools })).data.output).toBe('tools answer only while a script runs\n')
  expect(asked).toEqual([])
})

test('an interpreter whose scripts go on with calls that are refused is not used again', async () => {
  await using code = await openCode({ folder, config: { max_tool_calls: 1 } })
  const refused =
    "x = 7\nfor each in range(60):\n    try:\n        terminal('date', background=True)\n    except ToolError as error:\n        last = error\nprint(last)"
  expect((await code.run('python', refused)).data).toMatchObject({ status: 'success', output: 'nobody answers any more\n' })
  const { data } = await code.run('python', 'print(x)')
  expect(data).toMatchObject({ status: 'error', note: began('it went on with calls of tools that were refused') })
})

test('a script in Python that ends itself keeps its interpreter', async () => {
  await using code = await openCode({ folder })
  expect((await code.run('python', 'import sys\nx = 7\nsys.exit(4)')).data.error).toContain('exit code 4')
  expect((await code.run('python', "print(x)\nsys.exit('odd')")).data).toMatchObject({ status: 'error', output: '7\n', stderr: 'odd\n' })
  expect((await code.run('python', 'print(x)\nsys.exit()')).data).toMatchObject({ status: 'success', output: '7\n' })
})

test('a process that a script in Python forks does not answer for it', async () => {
  await using code = await openCode({ folder })
  const { data } = await code.run('python', "import os\nif os.fork() == 0:\n    pass\nelse:\n    os.wait()\n    print('parent')")
  expect(data).toMatchObject({ status: 'success', output: 'parent\n' })
  expect((await code.run('python', "print('next')")).data.output).toBe('next\n')
})

test('a script in JavaScript is over when nothing of it is left to do', async () => {
  await using code = await openCode({ folder })
  const later = "async function main() {\n  await new Promise((resolve) => setTimeout(resolve, 50))\n  console.log('later')\n}\nmain()"
  expect((await code.run('javascript', later)).data).toMatchObject({ status: 'success', output: 'later\n' })
  const never = await code.run('javascript', 'await new Promise(() => undefined)')
  expect(never.data).toMatchObject({ status: 'error', stderr: 'the script waits for something that never comes\n' })
  const uncaught = await code.run('javascript', "setTimeout(() => { throw new Error('odd') }, 5)")
  expect(uncaught.data).toMatchObject({ status: 'error', stderr: expect.stringContaining('Error: odd') })
  expect((await code.run('javascript', 'console.log(typeof main)')).data).toMatchObject({ status: 'success', output: 'function\n' })
  const both = await code.run('javascript', "setInterval(() => 1, 9)\nthrow new Error('odd')")
  expect(both.data).toMatchObject({ status: 'error', note: expect.stringContaining(gone) })
})

test('imports of a script in JavaScript are constants, and texts stay as they are', async () => {
  writeFileSync(join(folder, 'part.mjs'), 'export const x = 8\nexport default 9')
  writeFileSync(join(folder, 'part.json'), '{"y":1}')
  await using code = await openCode({ folder })
  const first = `import nine, { x as eight,
  default as again } from './part.mjs' // import { no } from 'node:no'
import * as all from "./part.mjs"; import data from './part.json' with { type: 'json' }
import './part.mjs'
const text = \`import { a } from 'node:a'
import('node:b') \${(await import('./part.mjs')).x}\`
console.log(nine, eight, again, all.x, data.y, text, 'import("node:c")', import.meta.url.slice(0, 5), /import\\(/.test('import('))`
  expect((await code.run('javascript', first)).data).toMatchObject({
    status: 'success',
    output: `9 8 9 8 1 import { a } from 'node:a'\nimport('node:b') 8 import("node:c") file: true\n`,
  })
  expect((await code.run('javascript', 'console.log(nine + eight)')).data.output).toBe('17\n')
  const { data } = await code.run('javascript', "import { none } from './part.mjs'")
  expect(data.stderr).toContain("does not provide an export named 'none'")
})

/** Everything that has this text in its arguments. */
function left(text: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
}
