import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
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
    older.close()
    const { journal, leases, kv } = await temporary.open()
    await leases.hold('boot', 'boot', 60_000)
    expect(await journal.accept('irc', messageOf('1'))).toMatchObject({ status: 'accepted' })
    const claim = await journal.claim('boot')
    expect(claim).toMatchObject({ message: { id: '1' } })
    if (claim) await journal.answer(claim, { outbound: [{ text: 'Hello.', buttons: [] }], turn: null })
    expect(await journal.claimSend('boot')).toMatchObject({ message: { text: 'Hello.' } })
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
  database.close()
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

test('a folder in place of the file, and a missing folder, are unusable', async () => {
  await using temporary = await createTemporaryStore()
  await expect(temporary.open({ file: temporary.folder })).rejects.toMatchObject({ code: 'HOME_UNUSABLE' })
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
