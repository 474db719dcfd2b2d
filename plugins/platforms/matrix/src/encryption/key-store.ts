import { randomUUID } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { State } from '@agent/plugin-sdk'
import { type Database, type Databases, openDatabases, type Store, settle } from './databases.ts'

/** The keys of one device: databases in memory for the library, and each change of them in the state of the plugin. */
export interface KeyStore {
  /** By which the library finds its databases. */
  readonly name: string
  /** Nothing is known of the device yet. */
  readonly isNew: boolean
  /** Writes down what has changed: before anything goes out that depends on it, and before the server may forget what came in. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** What a row is now; without a value it is gone. */
type Row = readonly [store: string, key: unknown, value: unknown]
interface Shape {
  readonly name: string
  readonly keyPath: string | string[] | null
  readonly autoIncrement: boolean
  readonly indexes: readonly { name: string; keyPath: string | string[]; unique: boolean; multiEntry: boolean }[]
}
interface Kept {
  readonly version: number
  readonly stores: readonly Shape[]
  readonly rows: Row[]
}
/** All rows, by the end of a database's name. Each change after `count` is one more value of the state. */
interface Picture {
  readonly count: number
  readonly databases: Map<string, Kept>
}
type Change = readonly (readonly [database: string, ...row: Row])[]

/** After so many changes a new picture is made of all. */
const mostChanges = 200

export async function openKeyStore(state: State, place: string): Promise<KeyStore> {
  const { databases, notes } = await openDatabases()
  const name = randomUUID()
  const changed = new Map<string, readonly [database: string, store: string, key: unknown]>()
  const kept = await readKept(state, place)
  let { count, since } = kept
  const isNew = kept.databases.size === 0
  let isUnsure = isNew

  for (const [end, one] of kept.databases) await restore(databases, name + end, one)
  notes.set(name, (database, store, key) => {
    if (key === undefined) isUnsure = true
    else changed.set(`${database} ${store} ${serialize(key).toString('base64')}`, [database, store, key])
  })
  const paint = async (): Promise<void> => {
    const all = new Map<string, Kept>()
    for (const { name: full } of await databases.databases())
      if (full.startsWith(name)) all.set(full.slice(name.length), await read(databases, full))
    await state.set(place, pack({ count, databases: all } satisfies Picture))
    for (let number = count - since + 1; number <= count; number += 1) await state.delete(`${place}:${number}`)
    since = 0
  }
  const write = async (rows: readonly (readonly [database: string, store: string, key: unknown])[]): Promise<void> => {
    if (rows.length === 0) return
    const change: [string, string, unknown, unknown][] = []
    for (const [database, store, key] of rows)
      change.push([database.slice(name.length), store, key, await readRow(databases, database, store, key)])
    await state.set(`${place}:${count + 1}`, pack(change satisfies Change))
    count += 1
    since += 1
  }
  return {
    name,
    isNew,
    flush: async () => {
      const isWhole = isUnsure || since >= mostChanges
      const rows = [...changed.values()]
      changed.clear()
      // What is not written now is written with the next picture.
      isUnsure = true
      await (isWhole ? paint() : write(rows))
      isUnsure = false
    },
    close: async () => {
      notes.delete(name)
      for (const { name: full } of await databases.databases()) if (full.startsWith(name)) await settle(databases.deleteDatabase(full))
    },
  }
}

const pack = (value: unknown): string => serialize(value).toString('base64')
const unpack = (text: string): unknown => deserialize(Buffer.from(text, 'base64'))

async function readKept(state: State, place: string): Promise<Picture & { readonly since: number }> {
  const stored = await state.get(place)
  const picture = typeof stored === 'string' ? (unpack(stored) as Picture) : { count: 0, databases: new Map<string, Kept>() }
  let { count } = picture
  for (;;) {
    const next = await state.get(`${place}:${count + 1}`)
    if (typeof next !== 'string' || picture.databases.size === 0) break
    for (const [database, ...row] of unpack(next) as Change) picture.databases.get(database)?.rows.push(row)
    count += 1
  }
  return { count, since: count - picture.count, databases: picture.databases }
}

async function restore(databases: Databases, name: string, { version, stores, rows }: Kept): Promise<void> {
  const opening = databases.open(name, version)
  opening.addEventListener('upgradeneeded', () => {
    for (const { name: store, keyPath, autoIncrement, indexes } of stores) {
      const made = opening.result.createObjectStore(store, { keyPath, autoIncrement })
      for (const one of indexes) made.createIndex(one.name, one.keyPath, { unique: one.unique, multiEntry: one.multiEntry })
    }
  })
  const database = await settle(opening)
  if (stores.length > 0) {
    const names = stores.map((store) => store.name)
    const writing = database.transaction(names, 'readwrite')
    const inline = new Set(stores.filter(({ keyPath }) => keyPath !== null).map((store) => store.name))
    for (const [store, key, value] of rows) {
      const target = writing.objectStore(store)
      await settle(value === undefined ? target.delete(key) : inline.has(store) ? target.put(value) : target.put(value, key))
    }
  }
  database.close()
}

async function withDatabase<T>(databases: Databases, name: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await settle(databases.open(name))
  try {
    return await use(database)
  } finally {
    database.close()
  }
}

const readRow = (databases: Databases, name: string, store: string, key: unknown): Promise<unknown> =>
  withDatabase(databases, name, (database) => settle(database.transaction([store], 'readonly').objectStore(store).get(key)))

const read = (databases: Databases, name: string): Promise<Kept> =>
  withDatabase(databases, name, async (database) => {
    const names = [...database.objectStoreNames]
    const stores: Shape[] = []
    const rows: Row[] = []
    for (const one of names) {
      const store = database.transaction([one], 'readonly').objectStore(one)
      stores.push(describe(store))
      const [keys, values] = await Promise.all([settle(store.getAllKeys()), settle(store.getAll())])
      for (const [index, key] of keys.entries()) rows.push([one, key, values[index]])
    }
    return { version: database.version, stores, rows }
  })

function describe(store: Store): Shape {
  const indexes = [...store.indexNames].map((one) => {
    const { name, keyPath, unique, multiEntry } = store.index(one)
    return { name, keyPath, unique, multiEntry }
  })
  return { name: store.name, keyPath: store.keyPath, autoIncrement: store.autoIncrement, indexes }
}
