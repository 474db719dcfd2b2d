import type { MemoryManifest } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { type BackendWish, chooseBackend } from '../choose-backend.ts'

export type MemoryMethod = keyof MemoryManifest['capabilities']

/** `wanted` is `memory.provider`. */
export type FindMemoryProvider = Pick<BackendWish<'memory'>, 'catalog' | 'wanted'>

/** The one that is there without a choice, and that does what the chosen one does not do. */
const usual = 'files'

/** The provider that does this: the chosen one, else the usual one. Undefined where neither can. */
export function findMemoryProvider({ catalog, wanted }: FindMemoryProvider, method: MemoryMethod): Contribution<'memory'> | undefined {
  const can = ({ spec }: Contribution<'memory'>): boolean => spec.capabilities[method]
  const chosen = wanted === '' ? usual : wanted
  const found = chooseBackend({ catalog, wanted: chosen, kind: 'memory', unknown: 'MEMORY_PROVIDER_UNKNOWN', can })
  return found ?? catalog.of('memory').find((each) => each.id === usual && can(each))
}

/** Whether there is one; also where the choice is wrong, so that somebody is told. */
export function offersMemory(wish: FindMemoryProvider, method: MemoryMethod): boolean {
  try {
    return findMemoryProvider(wish, method) !== undefined
  } catch (error) {
    if (isAgentError(error)) return true
    throw error
  }
}
