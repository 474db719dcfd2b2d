import type { Wire } from '@agent/plugin-sdk'

/** Small values that survive restarts; `space` keeps owners apart. */
export interface Kv {
  get(space: string, key: string): Promise<Wire | undefined>
  set(space: string, key: string, value: Wire): Promise<void>
  delete(space: string, key: string): Promise<void>
  /** Only where it is still this value: another process may have set another one. */
  deleteIf(space: string, key: string, value: Wire): Promise<void>
  keys(space: string): Promise<readonly string[]>
}
