import type { CodeKind } from '@agent/plugin-sdk'
import { kinds } from '../kinds.ts'

/** Declared is provided: what an entry lacks that its kind of contribution is called by. */
export function findShapeProblem(kind: CodeKind, entry: unknown): string | undefined {
  const { method } = kinds[kind]
  if (typeof entry === 'object' && entry !== null && typeof (entry as Record<string, unknown>)[method] === 'function') return undefined
  return entry === undefined ? 'has no default export' : `has a default export without ${method}()`
}
