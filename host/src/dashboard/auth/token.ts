import { randomBytes } from 'node:crypto'
import { isSameSecret } from '@agent/plugin-sdk/http'

/** Header that everything but the public doors must bring; a page of another origin cannot set it without being asked first. */
export const tokenHeader = 'x-agent-session-token'

export interface PageToken {
  /** What the page of this machine alone is served with. */
  readonly value: string
  /** What the page of somebody who has logged in is served with: worth nothing without that login. */
  readonly ofLogins: string
  is(given: unknown): boolean
  /** Somebody has chosen it, so that it stands for a login. */
  isProgram(given: unknown): boolean
}

/** The token of this process: pinned, or made now. */
export function createToken(pinned: string | undefined): PageToken {
  const ofLogins = randomBytes(32).toString('base64url')
  const value = pinned ?? ofLogins
  const same = (given: unknown, expected: string): boolean => typeof given === 'string' && isSameSecret(given, expected)
  return {
    ...{ value, ofLogins },
    is: (given) => same(given, value) || same(given, ofLogins),
    isProgram: (given) => pinned !== undefined && same(given, pinned),
  }
}
