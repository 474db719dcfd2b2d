import type { Call } from '@agent/plugin-sdk'
import { newId } from './ids.ts'

/** The largest deadline that crosses the border as JSON: no limit in practice. */
export const noDeadline = 2 ** 31 - 1

/** The last parameter of a call that the host makes. */
export function createCall(signal: AbortSignal, deadline: number = noDeadline): Call {
  return { id: newId('call'), signal, deadline }
}
