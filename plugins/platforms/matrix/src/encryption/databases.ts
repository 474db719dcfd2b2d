/** The part of IndexedDB that is used; the library of the encryption keeps nothing anywhere else. */
export interface Reading<T = unknown> {
  readonly result: T
  readonly error: unknown
  addEventListener(type: 'success' | 'error' | 'upgradeneeded', listener: () => void): void
}
export interface Store {
  readonly name: string
  readonly keyPath: string | string[] | null
  readonly autoIncrement: boolean
  readonly indexNames: Iterable<string>
  readonly transaction: { readonly db: { readonly name: string } }
  index(name: string): Index
  createIndex(name: string, keyPath: string | string[], options: object): unknown
  get(key: unknown): Reading
  getAll(): Reading<readonly unknown[]>
  getAllKeys(): Reading<readonly unknown[]>
  put(value: unknown, key?: unknown): Reading
  add(value: unknown, key?: unknown): Reading
  delete(key: unknown): Reading
  clear(): Reading
}
export interface Index {
  readonly name: string
  readonly keyPath: string | string[]
  readonly unique: boolean
  readonly multiEntry: boolean
}
interface Cursor {
  readonly source: Store | { readonly objectStore: Store }
  readonly primaryKey: unknown
  update(value: unknown): Reading
  delete(): Reading
}
export interface Database {
  readonly name: string
  readonly version: number
  readonly objectStoreNames: Iterable<string>
  transaction(stores: readonly string[], mode: 'readonly' | 'readwrite'): { objectStore(name: string): Store }
  createObjectStore(name: string, options: object): Store
  close(): void
}
export interface Databases {
  open(name: string, version?: number): Reading<Database>
  deleteDatabase(name: string): Reading
  databases(): Promise<readonly { readonly name: string; readonly version: number }[]>
}

/** Told of a row that was written or removed; without `key` of a store in which any row may be. */
export type Note = (database: string, store: string, key: unknown) => void

interface Scope {
  readonly indexedDB: Databases
  readonly IDBObjectStore: { readonly prototype: Store }
  readonly IDBCursor: { readonly prototype: Cursor }
  agentKeyNotes?: Map<string, Note>
}

/** Databases in memory, in the place where the library looks for them, and who is told of changes, by the start of their names. */
export async function openDatabases(): Promise<{ readonly databases: Databases; readonly notes: Map<string, Note> }> {
  const { default: indexedDB, ...classes } = await import('fake-indexeddb')
  const scope = globalThis as unknown as Scope
  if (!scope.agentKeyNotes) Object.assign(globalThis, classes, { indexedDB })
  scope.agentKeyNotes ??= watch(scope)
  return { databases: scope.indexedDB, notes: scope.agentKeyNotes }
}

/** Once in a process: the databases are the same for all of it. */
function watch({ IDBObjectStore, IDBCursor }: Scope): Map<string, Note> {
  const notes = new Map<string, Note>()
  const tell = ({ name, transaction: { db } }: Store, key: unknown): void => notes.get(db.name.split('::')[0] ?? '')?.(db.name, name, key)
  const { prototype: store } = IDBObjectStore
  const { put, add, delete: remove, clear } = store
  const told = (one: Store, request: Reading): Reading => {
    request.addEventListener('success', () => tell(one, request.result))
    return request
  }
  Object.assign(store, {
    put(this: Store, ...row: [unknown]) {
      return told(this, put.apply(this, row))
    },
    add(this: Store, ...row: [unknown]) {
      return told(this, add.apply(this, row))
    },
    delete(this: Store, key: unknown) {
      tell(this, isKey(key) ? key : undefined)
      return remove.call(this, key)
    },
    clear(this: Store) {
      tell(this, undefined)
      return clear.call(this)
    },
  })
  const { prototype: cursor } = IDBCursor
  const { update, delete: removeHere } = cursor
  const storeOf = ({ source }: Cursor): Store => ('objectStore' in source ? source.objectStore : source)
  Object.assign(cursor, {
    update(this: Cursor, value: unknown) {
      tell(storeOf(this), this.primaryKey)
      return update.call(this, value)
    },
    delete(this: Cursor) {
      tell(storeOf(this), this.primaryKey)
      return removeHere.call(this)
    },
  })
  return notes
}

/** Not a range of keys. */
const isKey = (key: unknown): boolean => typeof key !== 'object' || Array.isArray(key) || ArrayBuffer.isView(key)

export function settle<T>(request: Reading<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
