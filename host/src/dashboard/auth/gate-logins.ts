import { randomBytes } from 'node:crypto'
import type { Log, Wire } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { isSameSecret } from '@agent/plugin-sdk/http'
import type { HomeGates, NamedGate } from '#rpc/gates/home-gates.ts'
import type { LoginGround } from './audit.ts'
import type { LoginOutcome } from './provider-login.ts'
import { createSeal, type Seal } from './seal.ts'
import { createTries } from './tries.ts'

export interface Credentials {
  readonly name: string
  readonly password: string
}

/** Logins by gates of plugins. A gate says who somebody is; all else is decided here, so that no gate sees a cookie, a token or another gate's input. */
export interface GateLogins {
  list(): readonly NamedGate[]
  look(): Promise<void>
  /** Called when other gates let people in than before, or the same ones in another way. */
  onChange(listener: () => void): void
  /** Whether a login that was made by this gate still holds. */
  holds(gate: string): boolean
  /** The cookie's value; the answer to what is wrong is always the same one. */
  logIn(gate: string, given: Credentials, address: string): Promise<string>
  /** Where the browser goes, and what it keeps until it is back. */
  begin(gate: string, journey: { readonly returnTo: string; readonly to: string }, address: string): Promise<Begun>
  /** Never rejects. */
  complete(gate: string, kept: string | undefined, came: URLSearchParams, address: string): Promise<LoginOutcome>
  /** Where a person ends the login at the provider; undefined where there is no such page. */
  findEnd(gate: string, returnTo: string): Promise<string | undefined>
  close(): Promise<void>
}

interface Begun {
  readonly address: string
  readonly kept: string
}

export interface GateLoginsOptions extends LoginGround {
  readonly gates: HomeGates
  readonly log: Log
  readonly signal: AbortSignal
  /** Signs what the browser keeps meanwhile. */
  readonly secret: string
  /** Makes the cookie of a login by this gate. */
  readonly make: (gate: string) => string
}

/** What a login keeps in the browser while the person is away. */
interface Journey {
  readonly state: string
  readonly returnTo: string
  /** What of the page's address follows its place: query and fragment. */
  readonly to: string
  readonly kept: Wire
}

export const gateJourneyMs = 10 * 60_000

export function createGateLogins(options: GateLoginsOptions): GateLogins {
  const { gates, audit, clock, signal, make, log } = options
  const tries = { check: createTries(clock), begin: createTries(clock), finish: createTries(clock) }
  const spend = createOnce(options)
  const sealOf = (gate: string): Seal<Journey> => createSeal<Journey>(options.secret, `gate ${gate}`, clock)
  const find = (name: string, way: NamedGate['way']): NamedGate | undefined =>
    gates.list().find((gate) => gate.name === name && gate.way === way)
  const tell = (gate: string, error: unknown): void =>
    log.warn('a gate of the dashboard has failed, and lets nobody in', { gate, error: `${detailOf(error)}${causeOf(error)}` })
  return {
    list: gates.list,
    look: gates.look,
    onChange: gates.onChange,
    close: gates.close,
    holds(gate) {
      // Sockets ask without a request, and are told the next time.
      void gates.look()
      return gates.list().some(({ name, way }) => name === gate && way !== undefined)
    },
    async logIn(gate, given, address) {
      const about = { gate: gate.slice(0, 200), address }
      if (!tries.check.take(address)) {
        audit.write({ event: 'login.limited', ...about })
        throw fail('HTTP_RATE_LIMIT', { path: '/api/auth/login' })
      }
      const person = await askPassword({ ...options, tell }, find(gate, 'password'), given).catch((error: unknown) => {
        audit.write({ event: 'login.failed', ...about })
        throw error
      })
      audit.write(person ? { event: 'login.done', ...about, subject: person.id } : { event: 'login.refused', ...about })
      if (!person) throw fail('HTTP_LOGIN_WRONG')
      return make(gate)
    },
    async begin(gate, { returnTo, to }, address) {
      if (!find(gate, 'redirect')) throw fail('GATE_UNUSABLE', { gate })
      if (!tries.begin.take(address)) throw fail('HTTP_RATE_LIMIT', { path: '/auth/gate' })
      const state = randomBytes(32).toString('base64url')
      const { url, kept } = await gates.ask(gate, (all, found) => all.begin(found, { returnTo, state }, signal))
      return { address: url, kept: sealOf(gate).close({ state, returnTo, to, kept }, gateJourneyMs) }
    },
    async complete(gate, kept, came, address) {
      const end = (type: 'failed' | 'limited' | 'refused', to: string): LoginOutcome => {
        audit.write({ event: `login.${type}`, gate: gate.slice(0, 200), address })
        return { type, to }
      }
      const journey = find(gate, 'redirect') && sealOf(gate).open(kept)
      if (!journey) return end('failed', '')
      const { to, ...left } = journey
      if (!tries.finish.take(address)) return end('limited', to)
      const states = came.getAll('state')
      if (states.length !== 1 || !isSameSecret(states[0] ?? '', left.state) || !spend(left.state)) return end('failed', to)
      try {
        const query = Object.fromEntries(came)
        const person = await gates.ask(gate, (all, found) => all.finish(found, { ...left, query }, signal))
        if (!person) return end('refused', to)
        audit.write({ event: 'login.done', gate, address, subject: person.id })
        return { type: 'done', to, cookie: make(gate) }
      } catch (error) {
        tell(gate, error)
        return end('failed', to)
      }
    },
    findEnd: async (gate, returnTo) =>
      find(gate, 'redirect') && (await gates.ask(gate, (all, found) => all.end(found, { returnTo }, signal))),
  }
}

type Asking = Pick<GateLoginsOptions, 'gates' | 'signal'> & { readonly tell: (gate: string, error: unknown) => void }

/** What a gate fails at is no other answer than a wrong password: it might tell who is known there. */
async function askPassword({ gates, signal, tell }: Asking, gate: NamedGate | undefined, given: Credentials) {
  if (!gate) return null
  try {
    return await gates.ask(gate.name, (all, found) => all.check(found, given, signal))
  } catch (error) {
    tell(gate.name, error)
    throw isAgentError(error, 'GATE_UNUSABLE') ? error : fail('HTTP_LOGIN_WRONG')
  }
}

/** Each state is good once, although its cookie may have been copied. */
function createOnce({ clock }: Pick<GateLoginsOptions, 'clock'>): (state: string) => boolean {
  const spent = new Map<string, number>()
  return (state) => {
    for (const [each, end] of spent) if (end <= clock.now()) spent.delete(each)
    const isFresh = !spent.has(state)
    spent.set(state, clock.now() + gateJourneyMs)
    return isFresh
  }
}

/** Why it could not be opened stands behind the error that people see. */
function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  return cause === undefined ? '' : ` (${detailOf(cause)})`
}
