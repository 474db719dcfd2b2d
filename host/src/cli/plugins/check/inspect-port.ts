import { fail } from '@agent/plugin-sdk/errors'

/** Where a debugger looks unless it is told. */
const usualPort = 9229

/** What follows `--inspect`; undefined where nobody wants to look inside. 0 is any free port. */
export function readInspectPort(given: string | true | undefined): number | undefined {
  if (given === undefined || given === true) return given && usualPort
  const port = Number(given)
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port
  throw fail('USAGE', { problem: `--inspect takes a port, and "${given}" is none.`, try: `--inspect ${usualPort}` })
}

/** Nobody but this machine reaches the debugger. */
export const inspectAt = (port: number): string => `127.0.0.1:${port}`
