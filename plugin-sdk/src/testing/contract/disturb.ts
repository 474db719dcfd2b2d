import type { HttpRequest } from '../../contract/context.ts'
import type { FakeServer, Fault } from '../rig/fake-server.ts'
import type { Disturbance, PlatformCrowd } from './platform-world.ts'

/** How a fake service of a platform can be disturbed. */
export interface DisturbOptions {
  readonly server: FakeServer
  /** Whether a request sends a message to people. */
  readonly isSend: (request: HttpRequest) => boolean
  /** How the platform asks for patience, for a second. */
  readonly limit: Fault
  /** Offers the newest message again. */
  readonly repeat?: () => void
}

const slowMs = 1500

/** The disturbances of a platform whose fake stands on the fake server. */
export function createDisturbances({ server, isSend, limit, repeat }: DisturbOptions): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  const acts: Readonly<Record<Disturbance, (() => void) | undefined>> = {
    cut: () => {
      server.thaw()
      server.cut()
    },
    'half-open': () => server.freeze(),
    slow: () => server.breakOn(isSend, { type: 'delay', ms: slowMs }),
    limit: () => server.breakOn(isSend, limit),
    error: () => server.breakOn(isSend, { type: 'status', status: 500, body: 'Internal Server Error' }),
    garbage: () => server.breakOn(isSend, { type: 'garbage' }),
    'lose-receipt': () => server.breakOn(isSend, { type: 'cut', bytes: 0 }),
    repeat,
  }
  return {
    disturb: (what) => {
      acts[what]?.()
      return acts[what] !== undefined
    },
    calm: () => {
      server.thaw()
      server.release()
      server.cut()
    },
  }
}
