// @module-tag process
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { findSkills } from '../../host/src/skills/find-skills.ts'
import { hashSkill } from '../../host/src/skills/place-skill.ts'
import { addPlatform } from '../faults/platform-folder.ts'
import { createRandom } from '../faults/random.ts'
import { openVendor } from '../faults/vendor.ts'
import { fillTalk, readTalk } from '../support/chats/filled-talk.ts'
import { saidIn, startTalkModel, useTalkModel, writePiers } from '../support/chats/long-talk.ts'
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
function onSmallDisk(home: TestHome, line: string, { skills = false }: { readonly skills?: boolean } = {}): Promise<AgentRun> {
  const begin = skills ? '' : 'touch .no-bundled-skills && '
  return runAgent(home, hello, {
    wrapper: [...smallDisk(home), 'sh', '-c', `cd ${home.home} && ${begin}${line}`, 'sh'],
    timeoutMs: 60_000,
  })
}

const program = '"$1" "$2"'

/** Skills below a folder, each with the hash of its files. */
const skillsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(findSkills(folder).map((skill) => [relative(folder, skill.folder), hashSkill(skill.folder)]))

/** Waits for a file without letting anything else happen in this process. */
function waitHere(file: string): void {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  for (let round = 0; !existsSync(file) && round < 1000; round++) Atomics.wait(cell, 0, 0, 10)
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

  test('skills that do not fit are absent and none is there in part; with room again all of them are whole', async () => {
    using home = openTestHome()
    const copies = [join(home.work, 'full'), join(home.work, 'room')] as const
    const { out, note } = await onSmallDisk(
      home,
      [
        'head -c 980000 /dev/zero > ballast',
        '"$@" > /dev/null; echo "code $?"',
        `cp -r skills ${copies[0]}`,
        'rm ballast',
        '"$@" > /dev/null; echo "code $?"',
        `cp -r skills ${copies[1]}`,
        'ls -A skills/*',
      ].join('; '),
      { skills: true },
    )
    expect(out).toMatch(/^code 1\ncode 0\n/)
    expect(note).toMatch(/^The skills that come with agent are not all there: .*\n/)
    const { skills } = JSON.parse(readFileSync(join(root, 'skills', 'manifest.json'), 'utf8')) as { skills: Record<string, string> }
    const part = skillsIn(copies[0])
    expect(Object.keys(part).length).toBeGreaterThan(0)
    expect(Object.keys(part).length).toBeLessThan(Object.keys(skills).length)
    expect(skills).toMatchObject(part)
    expect(skillsIn(copies[1])).toEqual(skills)
    expect(out).not.toMatch(/^\..*\.(?:new|former)$/m)
  })

  test('a compression that does not fit is not kept in part; with room again it is made, and the conversation goes on', async () => {
    using home = openTestHome()
    const [full, filled, after, end] = ['full', 'filled', 'after', 'end'].map((name) => join(home.work, name)) as [
      string,
      string,
      string,
      string,
    ]
    let isFilling = false
    const onNotes = (): void => {
      if (!isFilling) return
      isFilling = false
      writeFileSync(full, '')
      waitHere(filled)
    }
    await using model = await startTalkModel({ onNotes })
    useTalkModel(home, model)
    writePiers(home.work)
    const { id, messages, turns } = await fillTalk(home)
    const kept = join(home.folder, 'kept')
    mkdirSync(kept)
    for (const name of ['state.db', 'config.yaml', '.env']) copyFileSync(join(home.home, name), join(kept, name))
    const before = await readTalk(join(home.home, 'state.db'), id)
    isFilling = true
    const say = `cd ${home.work}; ${program} chat -z "${saidIn(turns + 1)}" --resume ${id}; echo "code $?"; cd ${home.home}`
    const { out, note } = await onSmallDisk(
      home,
      [
        `cp ${kept}/* ${kept}/.env . && chmod 600 .env && mkdir ${after} ${end}`,
        `(for round in $(seq 500); do [ -e ${full} ] && break; sleep 0.02; done; cat /dev/zero > ballast; touch ${filled}) 2> /dev/null & ${say}`,
        `wait; cp state.db* ${after}`,
        `rm ballast; ${say}`,
        `cp state.db* ${end}`,
      ].join('; '),
    )
    expect(out).toBe('code 1\nThe pier is as it was.\ncode 0\n')
    expect(note).toMatch(
      /^This conversation was made shorter: .*\nagent: The disk is full: .*state\.db.*\nThis conversation was made shorter: .*\n$/,
    )
    const then = await readTalk(join(after, 'state.db'), id)
    // The step of before the compression was stored when there was room.
    expect(then.history.slice(messages).map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect({ ...then, history: then.history.slice(0, messages) }).toEqual(before)
    const last = await readTalk(join(end, 'state.db'), id)
    expect(last.history.slice(0, messages)).toEqual(before.history)
    expect([last.compressions, last.found]).toEqual([before.compressions + 1, before.found])
  }, 90_000)

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
