// @module-tag process
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolCall } from '@agent/plugin-sdk'
import { afterAll, expect, test } from 'vitest'
import { type CodeCall, type CodeResult, type CodeWorld, clock, openCode, places } from '../test/open-code.ts'

const folder = mkdtempSync(join(tmpdir(), 'code-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface More extends CodeCall, Pick<CodeWorld, 'place' | 'config' | 'life'> {
  /** When the time of the script is over. */
  readonly over?: Promise<void>
}

/** One script in a toolset that ends with it. */
async function run(language: string, code: string, { place, config, life, over, ...more }: More = {}): Promise<CodeResult> {
  const limited: typeof clock = {
    ...clock,
    sleep: (ms, signal) => (over && ms === 60_000 ? over : clock.sleep(ms, signal)),
  }
  await using open = await openCode({ folder, clock: limited, ...(place && { place }), ...(config && { config }), ...(life && { life }) })
  return await open.run(language, code, more)
}

const byBoth = (python: string, javascript: string) =>
  places.flatMap((place) => [['python', place, python] as const, ['javascript', place, javascript] as const])

test.each(
  byBoth(
    "a = read_file('a.txt', limit=3)\nprint(a, a.data['name'])\nimport agent_tools\nprint(agent_tools.terminal(command='date'))",
    "const a = await read_file({ path: 'a.txt', limit: 3 })\nconsole.log(a.text, a.data.name)\nconsole.log((await terminal('date')).toString())",
  ),
)('a script in %s %s calls tools', async (language, place, code) => {
  const { ok, data } = await run(language, code, { place })
  expect([ok, data]).toEqual([
    true,
    {
      ...{ status: 'success', tool_calls_made: 2, duration_seconds: expect.any(Number) },
      output: 'read_file {"path":"a.txt","limit":3} read_file\nterminal {"command":"date"}\n',
    },
  ])
})

test.each(
  byBoth(
    "try:\n    write_file('a', 'b')\nexcept ToolError as error:\n    print('caught', error)\nread_file('a')",
    "await write_file('a', 'b').catch((error) => console.log('caught', error.message))\nawait read_file('a')",
  ),
)('in %s %s a call that fails is an error of the script', async (language, place, code) => {
  const tools: ToolCall['tools'] = { call: async (name) => ({ ok: false, text: `${name} may not` }) }
  const { ok, data } = await run(language, code, { place, tools })
  expect(ok).toBe(false)
  expect(data).toMatchObject({ status: 'error', output: 'caught write_file may not\n', tool_calls_made: 2 })
  expect(data.stderr).toContain('read_file may not')
  expect(data.note).toBe(place === 'in a sandbox' ? 'The sandbox stopped it.' : undefined)
})

test('an error of a script names its line', async () => {
  expect((await run('python', 'x = 1\nraise ValueError("odd")')).data.stderr).toBe(
    'Traceback (most recent call last):\n  File "script.py", line 2, in <module>\n    raise ValueError("odd")\nValueError: odd\n',
  )
  expect((await run('javascript', 'const x = 1\nthrow new TypeError("odd")')).data.stderr).toMatch(/:2\n.*TypeError: odd/s)
})

test.each([
  [
    'python',
    'import sys, socket, json\nfrom agent_tools import read_file\ns = socket.socket(fileno=4)\ns.sendall(b\'{"tool":"clarify","args":{}}\\nx\\n\')\nprint(s.recv(1000).decode())',
  ],
])('in %s what is no tool for scripts is refused', async (language, code) => {
  const { data } = await run(language, code)
  expect(data.output).toContain('a script may call web_search')
  expect(data.tool_calls_made).toBe(0)
})

test('a command in the background and a call too many are refused', async () => {
  const { data } = await run(
    'python',
    "for args in [{'background': True}, {}, {}]:\n    try:\n        print(terminal('date', **args))\n    except ToolError as error:\n        print(error)",
    { config: { max_tool_calls: 1 } },
  )
  expect(data).toMatchObject({ tool_calls_made: 1 })
  expect(String(data.output).split('\n')).toEqual([
    'a script runs commands in the foreground only',
    'terminal {"command":"date"}',
    'a script makes 1 calls of tools at most (code_execution.max_tool_calls)',
    '',
  ])
})

test('what speaks of a secret is not in the environment', async () => {
  const secret = { A_KEY: 'x', my_token: 'x', DB_PASSWORD: 'x', AUTHOR: 'x', PASSWD: 'x', AWS_CREDENTIALS: 'x', SECRETS: 'x' }
  const { data } = await run('python', 'import os\nprint(sorted(os.environ))', { environment: { ...secret, LANG: 'C.UTF-8' } })
  expect(data.output).toContain('LANG')
  for (const name of Object.keys(secret)) expect(data.output).not.toContain(name)
})

test('long output keeps its beginning and its end', async () => {
  const { data } = await run('javascript', "console.log('a'.repeat(40_000) + 'b'.repeat(40_000)); console.error('c'.repeat(30_000))")
  expect(data.output).toMatch(/^a{20000}\n… 30001 characters left out …\nb{29999}\n$/)
  expect(String(data.stderr)).toMatch(/^c{4000}\n… 20001 characters left out …\nc{5999}\n$/)
})

test.each(places)('%s a script that takes too long ends with all that it has started', async (place) => {
  const nap = `86405.${process.pid}${place.length}`
  const code = `import subprocess, time\nsubprocess.Popen(['sleep', '${nap}'], start_new_session=True)\nprint('begun')\nread_file('a')\ntime.sleep(60)`
  let end: () => void = () => undefined
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  const tools: ToolCall['tools'] = {
    call: async () => {
      end()
      return { ok: true, text: '' }
    },
  }
  const result = await run('python', code, { place, tools, over })
  expect(result).toMatchObject({ ok: false, error: { code: 'TIMED_OUT' }, data: { status: 'timeout', output: 'begun\n' } })
  expect(result.data.error).toContain('60000 ms')
  await expect.poll(() => left(nap)).toEqual([])
})

test.each([
  ['in a sandbox', 'an interruption', 'signal'],
  ['without a sandbox', 'an interruption', 'signal'],
  ['without a sandbox', 'the end of the plugin', 'life'],
] as const)('%s %s ends a script', async (place, _what, by) => {
  const stop = new AbortController()
  const tools: ToolCall['tools'] = {
    call: async () => {
      stop.abort()
      return { ok: true, text: '' }
    },
  }
  const result = await run('javascript', "await read_file('a')\nsetInterval(() => 1, 1000)", { place, tools, [by]: stop.signal })
  expect(result).toMatchObject({ ok: false, error: { code: 'INTERRUPTED' }, data: { status: 'interrupted', tool_calls_made: 1 } })
})

test('what a script leaves running ends with it', async () => {
  const nap = `86406.${process.pid}`
  const { data } = await run('python', `import subprocess\nsubprocess.Popen(['setsid', 'sh', '-c', 'sleep ${nap} & sleep ${nap}'])`)
  expect(data.status).toBe('success')
  await expect.poll(() => left(nap)).toEqual([])
})

test('a machine without python3 says so', async () => {
  const result = await run('python', 'print(1)', { environment: { PATH: '/nowhere' } })
  expect(result).toMatchObject({ ok: false, data: { error: expect.stringContaining('there is no python3') } })
})

test('a file that is called like a part of the language does not take its place', async () => {
  await run('javascript', "for (const name of ['json', 'socket', 'csv']) require('fs').writeFileSync(name + '.py', 'print(1)')")
  expect((await run('python', "import csv, json\nprint(csv.reader, read_file('a'))")).data.output).toMatch(
    /^<built-in function reader> read_file/,
  )
})

test('a script works in the folder of the agent and may import what is there', async () => {
  await run(
    'javascript',
    "import { writeFileSync } from 'node:fs'\nwriteFileSync('part.py', 'x = 7')\nwriteFileSync('part.mjs', 'export const x = 8')",
  )
  expect((await run('python', 'import part\nprint(part.x)')).data.output).toBe('7\n')
  expect((await run('javascript', "import { x } from './part.mjs'\nconsole.log(x, typeof require('node:fs'))")).data.output).toBe(
    '8 object\n',
  )
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
