import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ApprovalChoice, ToolManifest } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { ApprovalRequest, ToolTurn } from '../tool-turn.ts'
import { type ApprovalOptions, createApprovals } from './approvals.ts'

let base = ''
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'script-guard-')))
  for (const folder of ['user/.agent', 'user/.ssh', 'user/project']) await mkdir(join(base, folder), { recursive: true })
})
afterEach(() => rm(base, { recursive: true }))

const tool = {
  name: 'execute_code',
  guards: [
    { argument: 'code', as: 'script' },
    { argument: 'language', as: 'language' },
  ],
} as unknown as ToolManifest

/** One that keeps what scripts leave. */
const lasting = { ...tool, guards: [...tool.guards, { argument: 'reset', as: 'fresh' }] } as unknown as ToolManifest

function open(more: Partial<ApprovalOptions> = {}) {
  let answer: ApprovalChoice = 'deny'
  const asked: ApprovalRequest[] = []
  const approvals = createApprovals({
    ...{ mode: 'ask', deny: [], allowlist: [], log: silentLog, secrets: () => ['s3cret'] },
    ...{ judge: async () => 'ask', allowAlways: async () => undefined },
    ...{ home: join(base, 'user/.agent'), userHome: join(base, 'user'), ...more },
  })
  const turn = {
    ...{ turn: 't', session: 's', workspace: join(base, 'user/project'), canAnswer: true, approved: new Set() },
    signal: new AbortController().signal,
    approve: async (request: ApprovalRequest) => {
      asked.push(request)
      return answer
    },
  } as unknown as ToolTurn
  const say = (choice: ApprovalChoice): void => {
    answer = choice
  }
  const run = async (code: string, { language = 'python', reset = false, fails = false, session = 's' } = {}): Promise<string> => {
    try {
      await approvals.check(lasting, { code, language, reset }, { ...turn, session })
      if (!fails) approvals.succeeded(lasting, { code, language, reset }, session)
      return 'runs'
    } catch (error) {
      if (!isAgentError(error)) throw error
      return error.code
    }
  }
  const check = async (code: string, language = 'python'): Promise<string> => {
    try {
      await approvals.check(tool, { code, language }, turn)
      return 'runs'
    } catch (error) {
      if (!isAgentError(error)) throw error
      return error.code
    }
  }
  const writing = { name: 'write_file', guards: [{ argument: 'path', as: 'write-path' }] } as unknown as ToolManifest
  const write = async (path: string, text: string): Promise<void> => {
    await approvals.check(writing, { path }, turn)
    await mkdir(dirname(join(base, 'user/project', path)), { recursive: true })
    await writeFile(join(base, 'user/project', path), text)
  }
  return { asked, check, write, run, say }
}

test('a script is judged like the command that runs it', async () => {
  const { asked, check } = open()
  expect(await check("print('it is', 1 + 1)")).toBe('runs')
  expect(await check('console.log(1)', 'javascript')).toBe('runs')
  expect(asked).toEqual([])
  expect(await check("import os\nos.remove('s3cret')")).toBe('APPROVAL_DENIED')
  expect(asked[0]).toMatchObject({
    tool: 'execute_code',
    subject: "python3 -c 'import os\nos.remove('\\''***'\\'')'",
    where: 'machine',
    folder: '~/project',
  })
})

test.each([
  ['python', "import urllib.request\nurllib.request.urlopen('https://example.org')"],
  ['python', "open('/etc/hosts', 'w').write('x')"],
  ['python', "__import__('os').system('date')"],
  ['javascript', "require('child_process').execSync('date')"],
  ['javascript', "require('fs').rmSync('x', { recursive: true })"],
  ['javascript', "await fetch('https://example.org')"],
])('without a sandbox a script in %s that does this is a question: %s', async (language, code) => {
  const { asked, check } = open()
  expect(await check(code, language)).toBe('APPROVAL_DENIED')
  expect(asked).toHaveLength(1)
  expect(await open({ contained: async () => true }).check(code, language)).toBe('runs')
})

test('the home of the agent and the deny list hold for scripts, also in a sandbox', async () => {
  const { check } = open({ contained: async () => true, deny: ['*secret-word*'] })
  expect(await check(`print(open('${join(base, 'user/.agent/.env')}').read())`)).toBe('PATH_PROTECTED')
  expect(await check(`open('${join(base, 'user/.ssh/authorized_keys')}', 'a')`)).toBe('PATH_PROTECTED')
  expect(await check("print('secret-word')")).toBe('APPROVAL_DENIED')
})

test('a text in a language that is not known is judged as a program that nobody knows', async () => {
  const { asked, check } = open()
  expect(await check('print(1)', 'oddity')).toBe('APPROVAL_DENIED')
  expect(asked[0]?.subject).toContain('oddity -c')
})

test('what a script brings in of files that were written in this session is judged with it', async () => {
  const { check, write } = open()
  await write('plain.py', 'x = 1')
  await write('part.py', 'from inner import y\n')
  await write('inner.py', "import os\nos.system('date')")
  await write('part.mjs', "import fs from 'node:fs'\nfs.rmSync('x', { recursive: true })")
  expect(await check('import json, plain\nprint(plain.x)')).toBe('runs')
  for (const code of ['import part', 'import json, part as p', 'from part import y', 'x = 1; import part'])
    expect(await check(code), code).toBe('APPROVAL_DENIED')
  expect(await check("import './part.mjs'", 'javascript')).toBe('APPROVAL_DENIED')
  expect(await check("const a = require('./part.mjs')", 'javascript')).toBe('APPROVAL_DENIED')
  await rm(join(base, 'user/project/plain.py'))
  expect(await check('import plain')).toBe('APPROVAL_DENIED')
})

test.each([
  ['python', 'import pkg.part', { 'pkg/part.py': 'from . import inner', 'pkg/inner.py': 'HARM' }],
  ['python', 'import pkg', { 'pkg/__init__.py': 'from .inner import y', 'pkg/inner.py': 'HARM' }],
  ['python', 'import pkg.low.part', { 'pkg/low/part.py': 'from .. import inner', 'pkg/inner.py': 'HARM' }],
  ['python', 'import pkg.low.part', { 'pkg/low/part.py': 'from ..other.inner import y', 'pkg/other/inner.py': 'HARM' }],
  ['python', 'import pkg.part', { 'pkg/part.py': 'import inner', 'inner.py': 'HARM' }],
  ['python', 'import json, \\\n  inner', { 'inner.py': 'HARM' }],
  ['python', 'from pkg import (\n  one,\n  inner,\n)', { 'pkg/one.py': 'x = 1', 'pkg/inner.py': 'HARM' }],
  ['python', `${Array.from({ length: 80 }, (_, at) => `import a${at}`).join('\n')}\nimport inner`, { 'inner.py': 'HARM' }],
  ['javascript', "import './sub/part.mjs'", { 'sub/part.mjs': "import './inner.mjs'", 'sub/inner.mjs': 'HARM' }],
] as const)('in %s a name is looked up in the folder of the file in which it stands: %s', async (language, code, files) => {
  const harmful = { python: "import os\nos.system('date')", javascript: "process.kill(1, 'SIGKILL')" }[language]
  const { check, write } = open()
  for (const [path, text] of Object.entries(files)) await write(path, text === 'HARM' ? 'x = 1' : text)
  expect(await check(code, language)).toBe('runs')
  for (const [path, text] of Object.entries(files)) if (text === 'HARM') await write(path, harmful)
  expect(await check(code, language)).toBe('APPROVAL_DENIED')
})

test('a script is judged with those whose names it may use, and a new interpreter with none of them', async () => {
  const { asked, run } = open()
  expect(await run("home = '/home/' + 'me/notes'")).toBe('runs')
  expect(await run('print(open(home).read())', { session: 'other' })).toBe('runs')
  expect(await run('print(open(home).read())', { language: 'javascript' })).toBe('runs')
  expect(await run('print(open(home).read())')).toBe('APPROVAL_DENIED')
  expect(asked.map(({ subject }) => subject)).toEqual(["python3 -c 'print(open(home).read())'"])
  expect(asked[0]?.reason).toMatch(/, with what earlier scripts of this conversation have left$/)
  expect(await run('print(open(home).read())', { reset: true })).toBe('runs')
})

test('what a person let an earlier script do is a question again where a later one may do it', async () => {
  const { asked, run, say } = open()
  say('once')
  expect(await run('import shutil\ndef wipe(x):\n    shutil.rmtree(x)')).toBe('runs')
  expect(asked[0]?.reason).not.toContain('earlier scripts')
  say('deny')
  expect(await run("wipe('a')")).toBe('APPROVAL_DENIED')
  // It did not begin: the one before is still there.
  expect(await run('print(1)', { reset: true, fails: true })).toBe('runs')
  expect(await run("wipe('a')")).toBe('APPROVAL_DENIED')
  expect(await run('print(2)', { reset: true })).toBe('runs')
  expect(await run("wipe('a')")).toBe('runs')
})

test('words of two scripts that look like one harm are a question, in no mode let through, and none in a sandbox', async () => {
  const { asked, run } = open({ mode: 'off' })
  expect(await run("import os\nprint(os.listdir('/usr'))")).toBe('runs')
  expect(await run("import shutil\nshutil.rmtree('build')")).toBe('APPROVAL_DENIED')
  expect(asked[0]?.reason).toMatch(/^together with earlier scripts of this conversation it would not be run: /)
  const inside = open({ contained: async () => true })
  expect(await inside.run("import os\nprint(os.listdir('/usr'))")).toBe('runs')
  expect(await inside.run("import shutil\nshutil.rmtree('build')")).toBe('runs')
})

test('what was refused has left nothing, and long texts together are one that nobody can read', async () => {
  const { asked, run } = open()
  expect(await run('import os\nos.remove("a")')).toBe('APPROVAL_DENIED')
  expect(await run('print(1)')).toBe('runs')
  for (const letter of ['a', 'b', 'c']) expect(await run(`print(${`${letter} + `.repeat(1500)}1)`)).toBe('runs')
  expect(asked).toHaveLength(1)
  expect(await open({ contained: async () => true }).run("import os\nos.system('date')")).toBe('runs')
})

test('in a sandbox an earlier script is a question only where its harm would be one', async () => {
  const { asked, run, say } = open({ contained: async () => true })
  await run("import os\nos.system('date')")
  expect(await run('print(1)')).toBe('runs')
  expect(asked).toEqual([])
  say('once')
  expect(await run(`import shutil\ndef wipe():\n    shutil.rmtree('${join(base, 'user/other')}')`)).toBe('runs')
  expect(asked).toHaveLength(1)
  say('deny')
  expect(await run('wipe()')).toBe('APPROVAL_DENIED')
})
