import type { CodeKind } from '@agent/plugin-sdk'

const methods = {
  platform: 'connect',
  provider: 'open',
  toolset: 'open',
  'web-backend': 'open',
  hooks: 'open',
  commands: 'open',
} as const satisfies Record<CodeKind, string>

/** Declared is provided: what an entry lacks that its kind of contribution is called by. */
export function findShapeProblem(kind: CodeKind, entry: unknown): string | undefined {
  const method = methods[kind]
  if (typeof entry === 'object' && entry !== null && typeof (entry as Record<string, unknown>)[method] === 'function') return undefined
  return entry === undefined ? 'has no default export' : `has a default export without ${method}()`
}
