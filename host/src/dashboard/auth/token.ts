import { randomBytes } from 'node:crypto'
import { isSameSecret } from '@agent/plugin-sdk/http'

/** Header that everything but the public doors must bring; a page of another origin cannot set it without being asked first. */
export const tokenHeader = 'x-agent-session-token'

export interface PageToken {
  /** What the page is served with. */
  readonly value: string
  /** Somebody has chosen it, so that it stands for a login. */
  readonly isPinned: boolean
  is(given: unknown): boolean
}

/** The token of this process: pinned, or made now. */
export function createToken(pinned: string | undefined): PageToken {
  const value = pinned ?? randomBytes(32).toString('base64url')
  return { value, isPinned: pinned !== undefined, is: (given) => typeof given === 'string' && isSameSecret(given, value) }
}
