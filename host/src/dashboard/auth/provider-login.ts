import type { LoginGround } from './audit.ts'
import { type AllowedPeople, isAllowed } from './is-allowed.ts'
import type { Journey, Oidc } from './oidc.ts'
import { createSeal } from './seal.ts'
import { createTries } from './tries.ts'

/** What came of a login: `to` is where the page was. */
export type LoginOutcome =
  | { readonly type: 'done'; readonly to: string; readonly cookie: string }
  | { readonly type: 'refused' | 'failed' | 'limited'; readonly to: string; readonly error?: unknown }

export interface ProviderLogin {
  readonly name: string
  /** The address of the provider, and what the browser keeps until it is back. */
  begin(redirect: string, to: string): Promise<{ readonly address: string; readonly kept: string }>
  /** Never rejects. */
  complete(kept: string | undefined, came: URLSearchParams, address: string): Promise<LoginOutcome>
  findEnd(back: string): Promise<string | undefined>
}

export const journeyMs = 10 * 60_000

export interface ProviderLoginOptions {
  readonly oidc: Oidc
  readonly admission: AllowedPeople
  /** Signs what the browser keeps meanwhile. */
  readonly secret: string
  readonly make: () => string
}

/** The journey stands in the browser that began it, so that another cannot end it, and nobody can fill a memory of ours with such. */
export function createProviderLogin(options: ProviderLoginOptions, { clock, audit }: LoginGround): ProviderLogin {
  const { oidc, admission, secret, make } = options
  const seal = createSeal<Journey>(secret, 'login', clock)
  const tries = createTries(clock)
  return {
    name: oidc.name,
    findEnd: oidc.findEnd,
    async begin(redirect, to) {
      const { address, journey } = await oidc.begin(redirect, to)
      return { address, kept: seal.close(journey, journeyMs) }
    },
    async complete(kept, came, address) {
      const end = (type: 'failed' | 'limited', to: string, error?: unknown): LoginOutcome => {
        audit.write({ event: `login.${type}`, address })
        return { type, to, error }
      }
      const journey = seal.open(kept)
      if (!journey) return end('failed', '')
      const { to } = journey
      if (!tries.take(address)) return end('limited', to)
      try {
        const claims = await oidc.complete(journey, came)
        const isLetIn = isAllowed(admission, claims)
        audit.write({ event: isLetIn ? 'login.done' : 'login.refused', address, subject: String(claims.sub) })
        return isLetIn ? { type: 'done', to, cookie: make() } : { type: 'refused', to }
      } catch (error) {
        return end('failed', to, error)
      }
    },
  }
}
