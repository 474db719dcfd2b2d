import type { SpawnOptions, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askNpm, findNpm, runNpm } from './run-npm.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-find-npm-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(...path: readonly string[]): string {
  const file = join(folder, ...path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  return file
}

test('npm is looked for beside Node, then below it, then in the folders of the search path', () => {
  const bin = join(folder, 'bin')
  const find = (): string => findNpm({ PATH: ['', join(folder, 'none'), join(folder, 'a'), join(folder, 'b')].join(delimiter) }, bin)
  expect(find).toThrow(expect.objectContaining({ code: 'PLUGIN_FETCH' }))
  // What is called that and is no program of Node.
  put('a', 'npm')
  expect(find).toThrow(expect.objectContaining({ code: 'PLUGIN_FETCH' }))
  const linked = put('lib', 'npm-cli.js')
  put('b', 'other')
  symlinkSync(linked, join(folder, 'b', 'npm'))
  expect(find()).toBe(linked)
  const modules = ['node_modules', 'npm', 'bin', 'npm-cli.js']
  for (const place of [['b'], ['lib'], ['bin']]) {
    const file = put(...place, ...modules)
    expect(find()).toBe(file)
  }
  expect(() => findNpm({}, join(folder, 'nowhere', 'bin'))).toThrow(expect.objectContaining({ code: 'PLUGIN_FETCH' }))
})

/** A process that is none: its outputs and its end are of the test. */
function openProcess() {
  const started: { readonly file: string; readonly words: readonly string[]; readonly options: SpawnOptions }[] = []
  const child = Object.assign(new EventEmitter(), { stdout: new PassThrough(), stderr: new PassThrough(), pid: undefined })
  const start = ((file: string, words: readonly string[], options: SpawnOptions) => {
    started.push({ file, words, options })
    return child
  }) as unknown as typeof spawn
  const end = async (out: string, note: string, code: number | null): Promise<void> => {
    child.stdout.write(out)
    child.stderr.write(note)
    await new Promise((resolve) => setImmediate(resolve))
    child.emit('close', code)
  }
  return { child, start, started, end }
}

const options = {
  cwd: '/staging',
  cache: '/cache',
  environment: { PATH: '/bin', NODE_OPTIONS: '--inspect' },
  signal: new AbortController().signal,
}

test('npm runs without scripts of packages, apart from this process, and what it prints is read as JSON', async () => {
  const { start, started, end } = openProcess()
  const failing = runNpm('dice', ['view', 'dice', '--', 'x'], options, start)
  const refused = expect(failing).rejects.toMatchObject({ code: 'PLUGIN_FETCH', params: { what: 'dice', detail: 'npm gave no reason' } })
  await end('{"a":', '', null)
  const { start: again, end: finish } = openProcess()
  const asking = askNpm(['whoami'], options, again)
  await finish('ann', 'a note', 0)
  expect(await asking).toEqual({ code: 0, out: 'ann', note: 'a note' })
  await refused
  const [{ file, words, options: given } = { file: '', words: [], options: {} }] = started
  expect([file, words[0]]).toEqual([process.execPath, findNpm(options.environment)])
  expect(words).toEqual(expect.arrayContaining(['--json', '--cache=/cache', '--ignore-scripts', '--fetch-retries=1']))
  expect(words.slice(-4)).toEqual(['view', 'dice', '--', 'x'])
  expect(given).toEqual({
    ...{ cwd: '/staging', detached: true, env: { PATH: '/bin', NODE_OPTIONS: undefined } },
    ...{ stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
  })
  const good = openProcess()
  const answer = runNpm('dice', ['view'], options, good.start)
  await good.end('{"a":1}', '', 0)
  expect(await answer).toEqual({ a: 1 })
})

test('who gives up on npm, and who cannot start it, is told', async () => {
  const gone = new AbortController()
  const { start } = openProcess()
  const asking = expect(askNpm(['view'], { ...options, signal: gone.signal }, start)).rejects.toThrow('enough')
  gone.abort(new Error('enough'))
  await asking
  const broken = openProcess()
  const failing = expect(askNpm(['view'], options, broken.start)).rejects.toThrow('no such program')
  broken.child.emit('error', new Error('no such program'))
  await failing
  await expect(askNpm(['view'], { ...options, timeoutMs: 5 }, openProcess().start)).rejects.toMatchObject({
    ...{ code: 'TIMED_OUT', params: { what: 'npm view', ms: 5 } },
  })
})
