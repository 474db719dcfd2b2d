// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAlive } from '../../host/src/gateway/process/process-identity.ts'
import { requirements } from '../spec/requirements.ts'
import { root } from './source-files.ts'

const tagged = '// @module-tag process\n'
const starts = `import { execFileSync, spawn } from 'node:child_process'
import { test } from 'vitest'
test('starts one', () => new Promise((resolve) => void spawn('true').once('close', resolve)))
test('starts one and waits', () => void execFileSync('true'))
`
const startsNone = `import { test } from 'vitest'
import { needs } from '../test/support/needs.ts'
import { isAlive } from '../../host/src/gateway/process/process-identity.ts'
test('starts none', () => undefined)
test.each([1, 2])('is skipped %i', needs(process.env.MOON), () => undefined)
`
const files = {
  'host/one.test.ts': starts,
  'host/two.test.ts': startsNone,
  'host/three.test.ts': `${tagged}${starts}import { writeFileSync } from 'node:fs'
test('leaves one', () => writeFileSync('left', String(spawn('sleep', ['600']).pid)))
`,
  'host/four.test.ts': tagged + startsNone,
  'host/six.test.ts': `// @module-tag server\n${starts}setTimeout(() => {\n  throw new Error('late')\n})\n`,
  // Stands for the build.
  'host/install/run.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync('built', process.argv[2])\n`,
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tests-'))
  for (const name of ['plugin-sdk', 'host/install', 'plugins']) mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['vitest.config.ts', 'test/support', 'test/spec', 'plugin-sdk/src/build'])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.endsWith('.test.ts') })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs these tests with this checkout's configuration. */
async function runTests(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<{ code: number; out: string }> {
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (out += text))
  const [code] = (await once(child, 'close')) as [number]
  return { code, out }
}

test('a unit test that starts a process fails, and so does a file that claims to start some and does not', async () => {
  const failures = join(folder, 'failures')
  const reporters = ['--reporter=default', `--reporter=${join(root, '.ci', 'failures.mjs')}`]
  const { out } = await runTests(reporters, { AGENT_FAILURES: failures })
  for (const line of [
    /FAIL {2}\|unit\| host\/one.test.ts > starts one$/m,
    /FAIL {2}\|unit\| host\/one.test.ts > starts one and waits$/m,
    /FAIL {2}\|server\| host\/six.test.ts > starts one$/m,
    /FAIL {2}\|process\| host\/four.test.ts/,
    'needs the line "// @module-tag process"',
    '"// @module-tag process" is wrong here',
    'Tests  4 failed | 9 passed',
  ])
    expect(out).toMatch(line)
  expect(out).not.toMatch(/FAIL.*(?:two|three)/)
  const told = readFileSync(failures, 'utf8')
  // A test, a hook and an error that nobody caught: `.ci/run` names all three at its end.
  for (const line of [/^host\/one\.test\.ts: starts one: /m, /^host\/four\.test\.ts: no process was started/m, /^nobody caught: late /m])
    expect(told).toMatch(line)
  const pid = Number(readFileSync(join(folder, 'left'), 'utf8'))
  // Nobody may have asked yet how it ended.
  await expect.poll(() => isAlive({ pid, started: '' }), { message: 'what a test leaves running is ended with its file' }).toBe(false)
})

test('one file alone gives its result, and nothing is built for a unit test', async () => {
  rmSync(join(folder, 'built'), { force: true })
  const { code, out } = await runTests(['host/two'], { CI: 'true' })
  expect(code).toBe(0)
  expect(out).not.toContain('Requirements')
  expect(existsSync(join(folder, 'built'))).toBe(false)
  expect((await runTests(['host/three'], {})).code).toBe(0)
  expect(existsSync(join(folder, 'built'))).toBe(true)
})

test('a whole run says why tests were skipped, and fails in CI where nothing proves a requirement that is due', async () => {
  for (const name of ['host/one.test.ts', 'host/four.test.ts', 'host/six.test.ts']) rmSync(join(folder, name))
  const MOON = 'the moon is missing: apt-get install moon'
  const { code, out } = await runTests([], { MOON })
  expect(code).toBe(0)
  expect(out).toContain(`Skipped 2 × ${MOON}\n`)
  expect(out).toMatch(/ due and open: \S+ \(no test proves it\)\n/)
  expect(await runTests([], { CI: 'true' })).toMatchObject({ code: 1, out: expect.stringContaining('2 passed (2)') })
})

test('runs of parts add what they proved to one file', async () => {
  const [id = ''] = Object.keys(requirements)
  const proofs = join(folder, 'proofs')
  writeFileSync(
    join(folder, 'host', 'five.test.ts'),
    `import { proves } from '../test/spec/proves.ts'\nproves(['${id}'], 'works', () => undefined)\n`,
  )
  await runTests(['host/five'], { AGENT_PROOFS: proofs })
  await runTests(['host/two'], { AGENT_PROOFS: proofs })
  const lines = readFileSync(proofs, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([[{ ids: [id], state: 'passed' }], []])
})
