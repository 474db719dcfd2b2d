import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { messageOf } from '../testing/messages.ts'
import { createTemporaryStore } from '../testing/temporary-store.ts'
import { connect } from './engine/connect.ts'
import { migrate } from './engine/migrate.ts'
import { migrations } from './engine/migrations.ts'

test('a new file belongs to its owner alone and opens again with what it holds', async () => {
  await using temporary = await createTemporaryStore()
  const first = await temporary.open()
  await first.journal.accept('irc', messageOf('1'))
  const second = await temporary.open({ durability: 'full' })
  expect(await second.journal.accept('irc', messageOf('1'))).toEqual({ status: 'duplicate' })
  for (const name of readdirSync(temporary.folder)) expect(statSync(join(temporary.folder, name)).mode & 0o077).toBe(0)
})

test('a file of every older version is brought up to date with what it holds', async () => {
  for (const [version] of migrations.entries()) {
    await using temporary = await createTemporaryStore()
    const older = new Database(temporary.file)
    migrate(older, temporary.file, migrations.slice(0, version))
    if (version > 0) older.exec("INSERT INTO kv VALUES ('plugin', 'kept', '1')")
    if (version === 4 || version === 5) older.exec("INSERT INTO usage VALUES ('2026-01-02', 's', 'irc', 'far', 'big', 1, 2, 3, 4, 5, 6)")
    if (version >= 6)
      older.exec(
        "INSERT INTO usage (day, session, source, person, provider, model, calls, input, output, cache_read, cache_write, reasoning) VALUES ('2026-01-02', 's', 'irc', '', 'far', 'big', 1, 2, 3, 4, 5, 6)",
      )
    if (version === 5) older.exec("INSERT INTO reservations VALUES (1, '2026-01-02', 'irc', 'far', 'big', 7, 8)")
    older.close()
    const { journal, leases, kv, usage } = await temporary.open()
    await leases.hold('boot', 'boot', 60_000)
    expect(await journal.accept('irc', messageOf('1'))).toMatchObject({ status: 'accepted' })
    const claim = await journal.claim('boot')
    expect(claim).toMatchObject({ message: { id: '1' } })
    if (claim) await journal.answer(claim, { outbound: [{ text: 'Hello.', buttons: [] }], turn: null })
    expect(await journal.claimSend('boot')).toMatchObject({ message: { text: 'Hello.' } })
    expect(await usage.since(''), `version ${version}`).toEqual(
      version < 4
        ? []
        : [
            {
              ...{ day: '2026-01-02', session: 's', source: 'irc', person: '', provider: 'far', model: 'big', calls: 1 },
              usage: { input: 2, output: 3, cacheRead: 4, cacheWrite: 5, reasoning: 6 },
            },
          ],
    )
    expect(await kv.get('plugin', 'kept'), `version ${version}`).toBe(version > 0 ? 1 : undefined)
  }
})

test.each([
  ['full', 2],
  ['process', 1],
] as const)('durability %s flushes as SQLite does at level %i', async (durability, level) => {
  await using temporary = await createTemporaryStore()
  const { file, clock } = temporary
  const database = await connect({ file, durability, clock, log: silentLog })
  expect(database.pragma('synchronous', { simple: true })).toBe(level)
  expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
  // What a large transaction leaves is given back, and what is read often fills no more than 2 MB.
  expect(['journal_size_limit', 'cache_size'].map((name) => database.pragma(name, { simple: true }))).toEqual([67_108_864, -2000])
  database.close()
})

test('what is no lock of another is not waited for', async () => {
  await using temporary = await createTemporaryStore()
  const { folder: file, clock } = temporary
  const opened = clock.time
  await expect(connect({ file, durability: 'process', clock, log: silentLog })).rejects.toMatchObject({ code: 'HOME_UNUSABLE' })
  expect(clock.time).toBe(opened)
})

test('a file of a newer program is refused and left as it is', async () => {
  await using temporary = await createTemporaryStore()
  await (await temporary.open()).close()
  const database = new Database(temporary.file)
  database.pragma('user_version = 999')
  database.close()
  await expect(temporary.open()).rejects.toMatchObject({ code: 'STORE_TOO_NEW', params: { found: 999 } })
  expect(readdirSync(temporary.folder).filter((name) => name.includes('damaged'))).toEqual([])
})

test('the database of another program is refused and left as it is', async () => {
  await using temporary = await createTemporaryStore()
  const database = new Database(temporary.file)
  database.exec("CREATE TABLE sessions (id TEXT); INSERT INTO sessions VALUES ('theirs')")
  database.close()
  await expect(temporary.open()).rejects.toMatchObject({ code: 'HOME_UNUSABLE' })
  const again = new Database(temporary.file)
  expect(again.prepare('SELECT * FROM sessions').all()).toEqual([{ id: 'theirs' }])
  again.close()
})

const damages: Readonly<Record<string, (file: string) => void>> = {
  'is no database': (file) => writeFileSync(file, 'this is no database, and was never one '.repeat(100)),
  'is cut short': (file) => truncateSync(file, 5_000),
  'has a page of noise': (file) => {
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 100, 4_096)
    writeFileSync(file, bytes)
  },
}

for (const [title, damage] of Object.entries(damages)) {
  test(`a file that ${title} is moved aside whole, and a new one is started with a warning`, async () => {
    await using temporary = await createTemporaryStore()
    await (await temporary.open()).close()
    damage(temporary.file)
    const bytes = readFileSync(temporary.file)
    const store = await temporary.open()
    expect(await store.journal.accept('irc', messageOf('1'))).toMatchObject({ status: 'accepted' })
    const moved = readdirSync(temporary.folder).filter((name) => /^state\.db\.damaged-[^.]*$/.test(name))
    expect(moved).toHaveLength(1)
    expect(readFileSync(join(temporary.folder, moved[0] ?? '')).equals(bytes)).toBe(true)
    expect(temporary.warnings).toEqual([expect.stringContaining(moved[0] ?? '')])
  })
}

test('a sound file that another process puts in the place of a damaged one is used, not moved', async () => {
  await using temporary = await createTemporaryStore()
  const { file, folder, clock } = temporary
  const sound = join(folder, 'sound.db')
  const other = await temporary.open({ file: sound })
  await other.journal.accept('irc', messageOf('1'))
  await other.close()
  writeFileSync(file, 'this is no database, and was never one '.repeat(100))
  let looks = 0
  const now = (): number => {
    // The first look sets the deadline; the second comes after the damage was seen.
    if (++looks === 2) renameSync(sound, file)
    return clock.now()
  }
  const store = await temporary.open({ clock: { ...clock, now } })
  expect(await store.journal.accept('irc', messageOf('1'))).toEqual({ status: 'duplicate' })
  expect(temporary.warnings).toEqual([])
})

test('a message that comes while another process keeps the file locked is told when to come again', async () => {
  await using temporary = await createTemporaryStore()
  const { journal } = await temporary.open({ lockWaitMs: 1 })
  const other = new Database(temporary.file)
  other.exec('BEGIN IMMEDIATE')
  expect(await journal.accept('irc', messageOf('1'))).toEqual({ status: 'busy', retryAfterMs: 1_000 })
  other.close()
  expect(await journal.accept('irc', messageOf('1'))).toMatchObject({ status: 'accepted' })
})

test('messages of two files have different keys, though both count from one', async () => {
  const keys: string[] = []
  for (let n = 0; n < 2; n++) {
    await using temporary = await createTemporaryStore()
    const { journal } = await temporary.open()
    await journal.accept('irc', messageOf('1'))
    const claim = await journal.claim('boot')
    if (claim) await journal.answer(claim, { outbound: [{ text: 'a' }], turn: null })
    keys.push((await journal.claimSend('boot'))?.message.key ?? '')
  }
  expect(keys[0]).toBeTruthy()
  expect(keys[0]).not.toBe(keys[1])
})

test('the steps of a message go with its answer, those of others stay', async () => {
  await using temporary = await createTemporaryStore()
  const { journal } = await temporary.open()
  for (const conversation of ['#a', '#b']) {
    await journal.accept('irc', messageOf(conversation, { conversation }))
    const claim = await journal.claim('boot')
    if (!claim) throw new Error('no message could be claimed')
    await journal.recordStep(claim, { type: 'tool.start', id: 'c1', name: 'terminal', args: '{}' })
    if (conversation === '#a') await journal.answer(claim, { outbound: [], turn: null })
  }
  const database = new Database(temporary.file)
  expect(database.prepare('SELECT count(*) FROM steps').pluck().get()).toBe(1)
  database.close()
})

test('a file that stays locked is busy, not damaged', async () => {
  await using temporary = await createTemporaryStore()
  await (await temporary.open()).close()
  const other = new Database(temporary.file)
  other.pragma('locking_mode = EXCLUSIVE')
  other.exec('BEGIN EXCLUSIVE')
  await expect(temporary.open({ lockWaitMs: 20 })).rejects.toMatchObject({ code: 'STORE_BUSY' })
  other.close()
  expect(readdirSync(temporary.folder).filter((name) => name.includes('damaged'))).toEqual([])
})

test('a lock that is let go of is waited for, damage is not', async () => {
  await using temporary = await createTemporaryStore()
  await (await temporary.open()).close()
  const other = new Database(temporary.file)
  other.pragma('locking_mode = EXCLUSIVE')
  other.exec('BEGIN EXCLUSIVE')
  const slept: number[] = []
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms)
    if (other.open) other.close()
  }
  const clock = { ...temporary.clock, now: () => temporary.clock.time, sleep }
  await (await temporary.open({ lockWaitMs: 1, clock })).close()
  expect(slept).toEqual([50])
  for (const name of readdirSync(temporary.folder)) rmSync(join(temporary.folder, name))
  writeFileSync(temporary.file, 'this is no database, and was never one '.repeat(100))
  await (await temporary.open({ lockWaitMs: 1, clock })).close()
  expect(slept).toEqual([50])
})

test('a folder in place of the file, and a missing folder, are unusable', async () => {
  await using temporary = await createTemporaryStore()
  const folder = { code: 'HOME_UNUSABLE', params: { path: temporary.folder, reason: expect.stringContaining('a folder') } }
  await expect(temporary.open({ file: temporary.folder })).rejects.toMatchObject(folder)
  await expect(temporary.open({ file: join(temporary.folder, 'missing', 'state.db') })).rejects.toMatchObject({ code: 'HOME_UNUSABLE' })
  expect(existsSync(temporary.folder)).toBe(true)
})

test('a native module that is not there is named', async () => {
  await using temporary = await createTemporaryStore()
  await expect(temporary.open({ nativeBinding: join(temporary.folder, 'missing.node') })).rejects.toMatchObject({ code: 'NATIVE_MISSING' })
})

test('closing finishes what was begun and refuses what comes after', async () => {
  await using temporary = await createTemporaryStore()
  const store = await temporary.open()
  const accepting = store.journal.accept('irc', messageOf('1'))
  await store.close()
  expect(await accepting).toMatchObject({ status: 'accepted' })
  await expect(store.kv.set('a', 'b', 1)).rejects.toMatchObject({ code: 'INTERNAL' })
})
