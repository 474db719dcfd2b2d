import { createHash } from 'node:crypto'
import type { Clock, ModelErrorClass, ProviderManifest } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { type AuthData, changeAuthFile, readAuthFile } from '#config/auth/auth-file.ts'
import type { Credential, RefusedRequest } from '../request/credential.ts'
import { type Quota, readQuota } from './read-quota.ts'

export type PoolStrategy = 'fill_first' | 'round_robin' | 'least_used' | 'random' | 'quota_aware'

interface PoolOptions {
  readonly provider: string
  readonly spec: Pick<ProviderManifest, 'baseUrl' | 'baseUrlOfKeys'>
  /** The key of the variable or of the settings, which goes where those say. */
  readonly own: string | undefined
  readonly files: readonly string[]
  readonly strategy: () => PoolStrategy
  readonly clock: Clock
  readonly random: () => number
  readonly keepSecret: (secret: string) => void
}

type Rests = AuthData['rests'][string]

const minute = 60_000
/** How long a key rests that was refused in a way that another key may not be. */
const restMs: Partial<Readonly<Record<ModelErrorClass, number>>> = { rate_limit: 60 * minute, billing: 60 * minute, auth: 5 * minute }
/** A limit that is over within this time is waited for; a second one of the same key within two minutes is not. */
const shortMs = 10_000
const soonMs = 2 * minute
/** A key of which less is left makes way for another that has more. */
const enoughLeft = 0.2

/** Several keys of one provider. A key that is refused rests, in all processes and after a restart; another takes its place. */
export function createPool(options: PoolOptions): Credential {
  const { provider, files, clock, keepSecret } = options
  const [own = ''] = files
  const uses = new Map<string, number>()
  const limited = new Map<string, number>()
  const quotas = new Map<string, Quota>()
  let last: string | undefined

  const restsOf = (): Rests => readAuthFile(own).rests[provider] ?? {}
  const awake = (keys: readonly string[], rests: Rests): readonly string[] =>
    keys.filter((key) => (rests[fingerprintOf(key)]?.until ?? 0) <= clock.now())

  const leftOf = (key: string): number => {
    const quota = quotas.get(key)
    return quota && quota.until > clock.now() ? quota.left : 1
  }
  const allKeys = (): readonly string[] => [...(options.own === undefined ? [] : [options.own]), ...storedKeys(files, provider)]

  return {
    key: options.own ?? storedKeys(files, provider)[0],
    authorize({ url }, _signal, proofOf) {
      const keys = keysFor(options, url)
      for (const key of keys) keepSecret(key)
      const rests = restsOf()
      const ready = awake(keys, rests)
      if (ready.length === 0) throw explainRests(provider, keys, rests, clock.now())
      const chosen = choose[options.strategy()]({ ready, keys, last, uses, leftOf, random: options.random })
      uses.set(chosen, (uses.get(chosen) ?? 0) + 1)
      last = chosen
      return proofOf(chosen)
    },
    answered(headers, proof) {
      const quota = options.strategy() === 'quota_aware' ? readQuota(headers, clock.now()) : undefined
      const key = quota && findKey(allKeys(), proof)
      if (quota && key !== undefined) quotas.set(key, quota)
    },
    async refused(refusal) {
      const keys = allKeys()
      const key = findKey(keys, refusal.proof)
      const ms = key === undefined ? undefined : restFor(refusal, key)
      if (key === undefined || ms === undefined) return false
      limited.delete(key)
      const now = clock.now()
      const rests = changeAuthFile(own, (data) => {
        const others = Object.entries(data.rests[provider] ?? {}).filter(([, { until }]) => until > now)
        const next: Rests = { ...Object.fromEntries(others), [fingerprintOf(key)]: { until: now + ms, class: refusal.class } }
        return { data: { ...data, rests: { ...data.rests, [provider]: next } }, result: next }
      })
      return awake(keys, rests).length > 0
    },
  }

  /** Undefined where the key goes on: the fault is not in it, or a pause mends it. */
  function restFor({ class: kind, status, retryAfterMs }: RefusedRequest, key: string): number | undefined {
    if (kind === 'auth' && status !== 401) return undefined
    const usual = restMs[kind]
    if (usual === undefined || kind !== 'rate_limit') return usual
    if (retryAfterMs !== undefined && retryAfterMs > shortMs) return retryAfterMs
    const before = limited.get(key)
    limited.set(key, clock.now())
    return before !== undefined && clock.now() - before < soonMs ? (retryAfterMs ?? usual) : undefined
  }
}

const findKey = (keys: readonly string[], proof: Readonly<Record<string, string>>): string | undefined =>
  keys.find((one) => Object.values(proof).some((value) => value.endsWith(one)))

interface Choosing {
  /** At least one. */
  readonly ready: readonly string[]
  readonly keys: readonly string[]
  readonly last: string | undefined
  readonly uses: ReadonlyMap<string, number>
  /** The share that is left of its limit; 1 where nobody has told. */
  readonly leftOf: (key: string) => number
  readonly random: () => number
}

const choose: Readonly<Record<PoolStrategy, (choosing: Choosing) => string>> = {
  fill_first: ({ ready }) => ready[0] ?? '',
  round_robin({ ready, keys, last }) {
    const after = last === undefined ? keys : [...keys.slice(keys.indexOf(last) + 1), ...keys]
    return after.find((key) => ready.includes(key)) ?? ''
  },
  least_used: ({ ready, uses }) => [...ready].sort((one, other) => (uses.get(one) ?? 0) - (uses.get(other) ?? 0))[0] ?? '',
  random: ({ ready, random }) => ready[Math.floor(random() * ready.length)] ?? '',
  quota_aware: ({ ready, leftOf }) =>
    ready.find((key) => leftOf(key) >= enoughLeft) ?? [...ready].sort((one, other) => leftOf(other) - leftOf(one))[0] ?? '',
}

/** The keys that may go to an address: stored ones to the provider's own hosts alone, and each to that which it is for. */
function keysFor({ provider, spec, own, files }: PoolOptions, url: URL): readonly string[] {
  const fits = (key: string): boolean => {
    const address = spec.baseUrlOfKeys.find(({ prefix }) => key.startsWith(prefix))?.baseUrl ?? spec.baseUrl
    return address === undefined || new URL(address).origin === url.origin
  }
  const stored = storedKeys(files, provider).filter(fits)
  return [...new Set([...(own === undefined ? [] : [own]), ...stored])]
}

function storedKeys(files: readonly string[], provider: string): readonly string[] {
  return files.flatMap((file) => {
    const { keys } = readAuthFile(file)
    return Object.hasOwn(keys, provider) ? (keys[provider] ?? []).map(({ key }) => key) : []
  })
}

/** Names a key without showing anything of it. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12)
}

function explainRests(provider: string, keys: readonly string[], rests: Rests, now: number): AgentError {
  const found = keys.flatMap((key) => rests[fingerprintOf(key)] ?? []).sort((one, other) => one.until - other.until)
  const [soonest] = found
  if (soonest === undefined) return fail('MODEL_AUTH', { provider, detail: 'no key of it may go to the address that is set' })
  const detail = `all its keys rest, the first until ${new Date(soonest.until).toISOString()}; agent auth reset ${provider} wakes them`
  if (soonest.class === 'billing') return fail('MODEL_BILLING', { provider, detail })
  if (soonest.class === 'auth') return fail('MODEL_AUTH', { provider, detail })
  return fail('MODEL_RATE_LIMIT', { provider, detail }, { retryAfterMs: soonest.until - now })
}
