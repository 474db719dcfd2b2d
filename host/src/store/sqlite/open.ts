import type { Store, StoreOptions } from '../store.ts'
import { openSqliteStore } from './store.ts'

/** Opens the store, making or migrating its file first. */
export function openStore(options: StoreOptions): Promise<Store> {
  return openSqliteStore(options)
}
