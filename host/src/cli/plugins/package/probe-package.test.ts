// @module-tag process
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { findBwrap } from '#kernel/sandbox/find-bwrap.ts'
import { diceFiles } from '../../../../../test/support/install-stage.ts'
import { needs, sayMissing } from '../../../../../test/support/needs.ts'
import { checkPackage, readPackageFile } from './check-package.ts'
import { probePackage } from './probe-package.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const probe = (code: string, clock?: Clock): Promise<readonly string[]> =>
  probeFiles({ ...diceFiles(), 'dist/toolset.dice.js': code }, clock)

async function probeFiles(files: Readonly<Record<string, string>>, clock: Clock = systemClock): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'probe-'))
  folders.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const checked = await checkPackage(folder, readPackageFile(folder, 'dice'))
  return probePackage(folder, checked, { signal: new AbortController().signal, clock })
}

const toolset = (open: string, tools = 'roll'): string =>
  `export default { open: async (context, call) => { ${open}; return { tools: { ${tools}: async () => ({ ok: true, text: '4' }) } } } }`

/** Whether the program that loads the newest package has begun. */
function isRunning(): boolean {
  const [folder = ''] = folders.slice(-1)
  return readdirSync('/proc').some((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return words.startsWith(realpathSync(process.execPath)) && words.includes(folder)
    } catch {
      return false
    }
  })
}

test('a package that loops while it is loaded is refused when its time is over', async () => {
  const clock = createFakeClock()
  const looping = expect(probe('for (;;);', clock)).rejects.toThrow('loading it took longer than 20000 ms')
  await expect.poll(() => clock.sleeping()).toBe(2)
  // A sandbox that is ended before it has started its program leaves the program behind.
  await expect.poll(isRunning).toBe(true)
  await clock.advance(20_000)
  await looping
})

test('a toolset is opened with a call as the host makes it, and its tools are compared', async () => {
  const checks = `
    if (typeof call.id !== 'string' || call.deadline !== 2000 || call.signal.aborted) throw new Error('no call')
    call.signal.throwIfAborted()`
  expect(await probe(toolset(checks))).toEqual([])
  await expect(probe(toolset(checks, 'other'))).rejects.toThrow(
    'the toolset dice has the undeclared tool other; the toolset dice lacks roll',
  )
})

test('what throws when it is opened without settings is told, and no reason to refuse', async () => {
  expect(await probe(toolset("throw new Error('DICE_KEY is missing')"))).toEqual([
    'the tools of dice were not compared, because it could not be opened without settings: DICE_KEY is missing',
  ])
})

test('a toolset that never opens is told too', async () => {
  expect(await probe(toolset('await new Promise(() => undefined)'))).toEqual([expect.stringContaining('it did not end within 2000 ms')])
})

test('a toolset that opens as something else is refused', async () => {
  await expect(probe('export default { open: async () => 7 }')).rejects.toThrow('the toolset dice opens without tools')
})

test(
  'what is loaded has no way to the program that installs it',
  needs(findBwrap() ? undefined : sayMissing('bwrap', 'bubblewrap')),
  async () => {
    const tried = `
    import { connect } from 'node:net'
    const tries = {
      kill: () => { process.kill(${process.pid}, 'SIGUSR1') },
      parent: () => { if (process.ppid !== 0) throw new Error('its parent is ' + process.ppid) },
    }
    let seen = ''
    try { tries.kill(); seen += 'killed ' } catch {}
    try { tries.parent() } catch (error) { seen += error.message }
    if (seen) throw new Error(seen)`
    expect(await probe(`${tried}\n${toolset('')}`)).toEqual([])
  },
)

test.each([
  ['hooks', { hooks: [{ id: 'watch', entry: 'dist/part.js', label: 'Watch', hooks: [{ name: 'tool.before' }] }] }],
  ['commands', { commands: [{ id: 'words', entry: 'dist/part.js', label: 'Words', commands: [{ name: 'word', summary: 'Says it.' }] }] }],
  ['web-backend', { webBackends: [{ id: 'ant', entry: 'dist/part.js', label: 'Ant', capabilities: { search: true } }] }],
])('the code of %s is loaded too', async (kind, contributes) => {
  const files = diceFiles({ contributes, api: { [kind]: 1 } })
  await expect(probeFiles({ ...files, 'dist/part.js': 'export default { open: 7 }' })).rejects.toThrow(
    'dist/part.js has a default export without open()',
  )
})

test('a package that takes all memory while it is loaded is refused before it has it', async () => {
  const greedy = `const all = []; for (let count = 0; count < 40; count++) { all.push(Buffer.alloc(1 << 26, 1)); await new Promise((resolve) => setTimeout(resolve, 40)) }`
  await expect(probe(`${greedy}\n${toolset('')}`)).rejects.toThrow('it took more than 768 MiB of memory')
})

test('no signal opens a debugger in what is loaded', async () => {
  const tried = `
    import { url } from 'node:inspector'
    process.kill(process.pid, 'SIGUSR1')
    await new Promise((resolve) => setTimeout(resolve, 300))
    if (url() !== undefined) throw new Error('a debugger listens at ' + url())`
  expect(await probe(`${tried}\n${toolset('')}`)).toEqual([])
})
