import type { State, Wire } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { openDatabases, settle } from './databases.ts'
import { type KeyStore, openKeyStore } from './key-store.ts'

function openState(): State & { readonly kept: Map<string, Wire> } {
  const kept = new Map<string, Wire>()
  return {
    kept,
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  }
}

async function openRows(store: KeyStore) {
  const { databases } = await openDatabases()
  const opening = databases.open(`${store.name}::rows`, 1)
  opening.addEventListener('upgradeneeded', () => void opening.result.createObjectStore('rows', { keyPath: null, autoIncrement: false }))
  const database = await settle(opening)
  const rows = () => database.transaction(['rows'], 'readwrite').objectStore('rows')
  return {
    put: async (key: string, value: unknown) => void (await settle(rows().put(value, key))),
    delete: async (key: string) => void (await settle(rows().delete(key))),
    clear: async () => void (await settle(rows().clear())),
    all: async () => Object.fromEntries((await settle(rows().getAllKeys())).map((key, at) => [String(key), at])),
    get: (key: string) => settle(rows().get(key)),
    close: () => database.close(),
  }
}

test('what was flushed is there after a kill, and nothing else is', async () => {
  const state = openState()
  const store = await openKeyStore(state, 'keys')
  expect(store.isNew).toBe(true)
  const rows = await openRows(store)
  await rows.put('a', new Uint8Array([1, 2]))
  await store.flush()
  await rows.put('b', { deep: new Map([['x', 1]]) })
  await rows.put('c', 3)
  await store.flush()
  await rows.delete('c')
  await store.flush()
  await rows.put('d', 4)
  const second = await openKeyStore(state, 'keys')
  expect(second.isNew).toBe(false)
  const again = await openRows(second)
  expect(Object.keys(await again.all())).toEqual(['a', 'b'])
  expect([await again.get('a'), await again.get('b')]).toEqual([new Uint8Array([1, 2]), { deep: new Map([['x', 1]]) }])
})

test('a flush that fails is made up for by the next one', async () => {
  const state = openState()
  let isFull = false
  const set: State['set'] = async (key, value) => {
    if (isFull) throw new Error('no room')
    await state.set(key, value)
  }
  const store = await openKeyStore({ ...state, set }, 'keys')
  const rows = await openRows(store)
  await store.flush()
  await rows.put('a', 1)
  isFull = true
  await expect(store.flush()).rejects.toThrow('no room')
  isFull = false
  await store.flush()
  expect(await (await openRows(await openKeyStore(state, 'keys'))).get('a')).toBe(1)
})

test('many changes become one picture, and a cleared store is empty after a restart', async () => {
  const state = openState()
  const store = await openKeyStore(state, 'keys')
  const rows = await openRows(store)
  for (let count = 0; count < 450; count += 1) {
    await rows.put(`row ${count % 7}`, count)
    await store.flush()
  }
  expect(state.kept.size).toBeLessThan(202)
  const second = await openKeyStore(state, 'keys')
  const again = await openRows(second)
  expect([await again.get('row 1'), await again.get('row 0')]).toEqual([449, 448])
  await again.clear()
  await second.flush()
  expect(state.kept.size).toBe(1)
  expect(await (await openRows(await openKeyStore(state, 'keys'))).all()).toEqual({})
  rows.close()
  await store.close()
})
