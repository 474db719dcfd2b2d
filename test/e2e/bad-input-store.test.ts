// @module-tag process
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { addPlatform } from '../faults/platform-folder.ts'
import { createRandom } from '../faults/random.ts'
import { openVendor } from '../faults/vendor.ts'
import { missingProgram, needs } from '../support/needs.ts'
import { type AgentRun, runAgent, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const hello = ['chat', '-z', 'hello']

const titles = async (home: TestHome): Promise<readonly string[]> => {
  const { out } = await runHere(home, ['sessions', 'list', '--json'])
  return (JSON.parse(out) as { sessions: { preview: string }[] }).sessions.map(({ preview }) => preview)
}

test('a state.db of a newer program is refused by every command, and not touched', async () => {
  using home = openTestHome()
  expect(await runAgent(home, hello)).toMatchObject({ code: 0 })
  const file = join(home.home, 'state.db')
  const version = (set?: number): unknown => {
    const database = new Database(file)
    const found = database.pragma(set === undefined ? 'user_version' : `user_version = ${set}`, { simple: true })
    database.close()
    return found
  }
  const known = version()
  version(999)
  for (const words of [hello, ['sessions', 'list'], ['gateway', 'run']]) {
    expect(await runHere(home, words)).toMatchObject({
      code: 1,
      out: '',
      note: `agent: ${file} was written by a newer agent (schema 999, this one knows ${known}). Update agent, or use another AGENT_HOME.\n`,
    })
  }
  version(Number(known))
  expect(await titles(home)).toEqual(['hello'])
})

test('a damaged state.db is moved aside and said so, and the turn goes on', async () => {
  using home = openTestHome()
  const damaged = `SQLite format 3\0${'damage'.repeat(2000)}`
  home.write('state.db', damaged)
  const run = await runHere(home, hello)
  const moved = readdirSync(home.home).find((name) => name.startsWith('state.db.damaged-')) ?? ''
  expect(home.read(moved)).toBe(damaged)
  expect(run).toMatchObject({ code: 0, out: expect.stringMatching(/^Hello!/) })
  expect(run.note).toBe(`${join(home.home, 'state.db')} is damaged and was moved to ${join(home.home, moved)}; a new one was started.\n`)
  expect(await titles(home)).toEqual(['hello'])
})

const smallDisk = (home: TestHome): readonly string[] => [
  'bwrap',
  '--die-with-parent',
  '--bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--size',
  '1048576',
  '--tmpfs',
  home.home,
]

/** Runs a shell line where the home is a disk of one megabyte; the program's own words are its "$@". */
function onSmallDisk(home: TestHome, line: string): Promise<AgentRun> {
  return runAgent(home, hello, {
    wrapper: [...smallDisk(home), 'sh', '-c', `cd ${home.home} && touch .no-bundled-skills && ${line}`, 'sh'],
  })
}

describe('a full disk', needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')), () => {
  test('a home that cannot be written is said in one sentence', async () => {
    using home = openTestHome()
    const { out, note } = await onSmallDisk(home, 'head -c 1000000 /dev/zero > ballast; "$@"; echo "code $?"')
    expect(out).toBe('code 1\n')
    expect(note).toBe(
      `agent: The disk is full: ${join(home.home, 'state.db')} could not be written. Nothing was half-written; free some space and try again.\n`,
    )
  })

  test('a turn that does not fit leaves nothing behind; with room again, the next one is stored', async () => {
    using home = openTestHome()
    const program = '"$1" "$2"'
    const { out, note } = await onSmallDisk(
      home,
      [
        'head -c 700000 /dev/zero > ballast',
        '"$@" > /dev/null; echo "code $?"',
        `${program} chat -z "stream 100000 tokens"; echo "code $?"`,
        'rm ballast',
        `${program} chat -z "stream 2 tokens" -c; echo "code $?"`,
        `${program} sessions export latest`,
      ].join('; '),
    )
    expect(note).toMatch(/^agent: The disk is full: .*state\.db could not be written\. .*\n$/)
    expect(out).toMatch(/^code 0\ncode 1\noffline-1 offline-2\ncode 0\n/)
    expect(out).not.toContain('stream 100000')
    expect(out).toContain('stream 2 tokens')
  })

  test('a gateway takes no message that it cannot keep, forgets none that it took, and goes on when there is room', async () => {
    using home = openTestHome()
    using kept = openTestHome()
    await using vendor = await openVendor({ keys: true, random: createRandom(1), busyMs: 200 })
    await addPlatform(kept, root, { id: 'post', keys: true })
    const settings = {
      plugins: { entries: { 'platform-post': { enabled: true } } },
      platforms: { post: { extra: { port: vendor.port, pauseMs: 0 } } },
      terminal: { sandbox: 'off' },
    }
    const config = kept.write('config.yaml', JSON.stringify(settings))
    const local = ['plugins', 'local'] as const
    const binds = ['--ro-bind', join(kept.home, ...local), join(home.home, ...local), '--ro-bind', config, join(home.home, 'config.yaml')]
    const gateway = startAgent(home, ['gateway', 'run'], {
      environment: { AGENT_INFERENCE_PROVIDER: 'offline', AGENT_OFFLINE_OPEN: 'true', POST_ALLOWED_USERS: 'ann' },
      wrapper: [...smallDisk(home), ...binds],
      timeoutMs: 60_000,
    })
    try {
      const [full, room] = [join(home.work, 'full'), join(home.work, 'room')]
      const say = (id: string, text: string): void => vendor.say({ id, conversation: id, text })
      const answered = (): readonly (string | undefined)[] => vendor.arrivals.map(({ answers }) => answers)
      const bounded = { timeout: 30_000, interval: 20 }
      await expect.poll(vendor.connections, bounded).toBe(1)
      say('before', 'note before')
      await expect.poll(answered, bounded).toEqual(['before'])
      say(
        'fills',
        `run head -c 2000000 /dev/zero > ballast; touch ${full}; (until [ -e ${room} ]; do sleep 0.1; done; : > ballast) > /dev/null 2>&1 &`,
      )
      await expect.poll(() => existsSync(full), bounded).toBe(true)
      say('during', 'note during')
      await expect.poll(vendor.refusals, bounded).toBeGreaterThan(0)
      expect(answered()).toEqual(['before'])
      writeFileSync(room, '')
      await expect.poll(() => [...answered()].sort(), bounded).toEqual(['before', 'during', 'fills'])
      gateway.child.kill('SIGTERM')
    } finally {
      gateway.child.kill('SIGTERM')
      await gateway.ended
    }
  }, 70_000)
})
