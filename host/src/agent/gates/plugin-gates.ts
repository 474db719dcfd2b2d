import type { GatePerson, GateReturn, OpenGate, Wire } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { isLoopback } from '#kernel/egress/loopback.ts'
import { createPluginCalls, type PluginCallsOptions } from '../calls/plugin-calls.ts'

type Gate = Contribution<'gate'>

export interface PluginGates {
  /** Who has this name and password; null where that is nobody. */
  check(gate: Gate, given: { readonly name: string; readonly password: string }, signal: AbortSignal): Promise<GatePerson | null>
  /** Where the browser goes, and what it keeps until it is back. */
  begin(
    gate: Gate,
    journey: { readonly returnTo: string; readonly state: string },
    signal: AbortSignal,
  ): Promise<{ readonly url: string; readonly kept: Wire }>
  /** Who has come back; null where that is nobody. */
  finish(gate: Gate, journey: GateReturn, signal: AbortSignal): Promise<GatePerson | null>
  /** The page that ends the login at the provider; undefined where there is none. */
  end(gate: Gate, journey: { readonly returnTo: string }, signal: AbortSignal): Promise<string | undefined>
  /** Ends what was replaced or removed, after what runs of it. */
  retire(gate: Gate): Promise<void>
  close(): Promise<void>
}

/** Somebody waits before a page. */
const longestMs = 20_000
const longestAddress = 4000
/** A cookie holds it, which has 4096 bytes with everything beside it. */
const mostKept = 1000
const methods = { password: ['check'], redirect: ['begin', 'finish'] } as const

/**
 * Gates of plugins: loaded with the first login. Each method rejects where the gate fails, is late or gives something else than it should: with
 * GATE_UNUSABLE where it could not be opened at all.
 */
export function createPluginGates(options: PluginCallsOptions<'gate'>): PluginGates {
  const { call, retire, close } = createPluginCalls<'gate', OpenGate>({
    ...{ ...options, longestMs },
    method: ({ spec }) => methods[spec.way],
  })
  /** Who cannot use a gate at all is told so; what it says of a login stays the same for everybody. */
  const open = async (gate: Gate, signal: AbortSignal): Promise<void> => {
    await call(gate, { what: `the gate ${gate.id}`, signal, run: async () => undefined }).catch((cause: unknown) => {
      throw fail('GATE_UNUSABLE', { gate: gate.spec.label }, { cause })
    })
  }
  const ask = async <Answer>(gate: Gate, method: string, signal: AbortSignal, run: Parameters<typeof call<Answer>>[1]['run']) => {
    await open(gate, signal)
    return await call(gate, { what: `${method} of the gate ${gate.id}`, signal, run })
  }
  return {
    retire,
    close,
    check: (gate, given, signal) =>
      ask(gate, 'check', signal, async (opened, bounds) => readPerson(await opened.check?.({ ...given }, bounds))),
    begin: (gate, journey, signal) =>
      ask(gate, 'begin', signal, async (opened, bounds) => {
        const { url, kept = null } = (await opened.begin?.({ ...journey }, bounds)) ?? {}
        return { url: readAddress(url), kept: readKept(kept) }
      }),
    finish: (gate, journey, signal) =>
      ask(gate, 'finish', signal, async (opened, bounds) => readPerson(await opened.finish?.({ ...journey }, bounds))),
    end: (gate, journey, signal) =>
      ask(gate, 'end', signal, async (opened, bounds) => {
        const found = typeof opened.end === 'function' ? await opened.end({ ...journey }, bounds) : null
        return found ? readAddress(found.url) : undefined
      }),
  }
}

/** Anything that is no person is a fault, and lets nobody in. */
function readPerson(given: unknown): GatePerson | null {
  if (given === null || given === undefined) return null
  const { id } = given as Partial<GatePerson>
  if (typeof id === 'string' && id.trim() !== '' && id.length <= 200 && !/\p{Cc}/u.test(id)) return { id }
  throw new Error('it gives a person without an id of 1 to 200 characters')
}

function readAddress(given: unknown): string {
  const url = typeof given === 'string' && given.length <= longestAddress && URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url.href
  throw new Error('it gives an address that is neither https nor on this machine')
}

function readKept(kept: Wire): Wire {
  const text = JSON.stringify(kept) ?? 'null'
  if (Buffer.byteLength(text) > mostKept) throw new Error(`it keeps more than ${mostKept} bytes`)
  return JSON.parse(text) as Wire
}
