import { fail } from '@agent/plugin-sdk/errors'
import type { Store, StoreOptions } from './store.ts'

/** Opens the store, making or migrating its file first. */
export async function openStore(_options: StoreOptions): Promise<Store> {
  throw fail('NOT_BUILT', { feature: 'The store' })
}
