import { createHmac } from 'node:crypto'
import { isSameSecret } from '@agent/plugin-sdk/http'

export interface SignedRequest {
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export type SchemeName = 'github' | 'gitlab' | 'standard' | 'generic' | 'legacy' | 'bearer'

interface Scheme {
  readonly name: SchemeName
  /** The header that says that a request is proved in this way. */
  readonly header: string
  readonly isGenuine: (request: SignedRequest, secret: string, now: number) => boolean
}

const standardNames = ['webhook', 'svix'] as const
/** How far the clock of the sender may be off, in seconds. */
const mostSkew = 300

/** In this order; the first whose header is there decides. */
const schemes: readonly Scheme[] = [
  {
    name: 'github',
    header: 'x-hub-signature-256',
    isGenuine: ({ headers, body }, secret) => isSameSecret(headers['x-hub-signature-256'] ?? '', `sha256=${sign(secret, [body], 'hex')}`),
  },
  {
    name: 'gitlab',
    header: 'x-gitlab-token',
    isGenuine: ({ headers }, secret) => isSameSecret(headers['x-gitlab-token'] ?? '', secret),
  },
  ...standardNames.map(
    (prefix): Scheme => ({
      name: 'standard',
      header: `${prefix}-signature`,
      isGenuine: (request, secret, now) => isStandard(request, prefix, secret, now),
    }),
  ),
  {
    name: 'generic',
    header: 'x-webhook-signature-v2',
    isGenuine: ({ headers, body }, secret, now) => {
      const time = headers['x-webhook-timestamp'] ?? ''
      return isRecent(time, now) && isSameSecret(headers['x-webhook-signature-v2'] ?? '', sign(secret, [`${time}.`, body], 'hex'))
    },
  },
  {
    name: 'legacy',
    header: 'x-webhook-signature',
    isGenuine: ({ headers, body }, secret) =>
      isSameSecret((headers['x-webhook-signature'] ?? '').replace(/^sha256=/, ''), sign(secret, [body], 'hex')),
  },
  {
    name: 'bearer',
    header: 'authorization',
    isGenuine: ({ headers }, secret) => isSameSecret((headers.authorization ?? '').replace(/^bearer +/i, 'Bearer '), `Bearer ${secret}`),
  },
]

/** False where a head already shows that there is no proof. */
export function mayProve({ headers }: Pick<SignedRequest, 'headers'>): boolean {
  return schemes.some(({ header }) => headers[header] !== undefined)
}

/** The scheme by which a request proves that it knows the secret; undefined where it does not. */
export function findProof(request: SignedRequest, secret: string, now: number): SchemeName | undefined {
  const scheme = schemes.find(({ header }) => request.headers[header] !== undefined)
  return scheme?.isGenuine(request, secret, now) ? scheme.name : undefined
}

/** What was signed of a request, where the signature leaves out its id: who repeats it under another id is found by this. */
export function findMark(scheme: SchemeName | undefined, { headers }: SignedRequest): string | undefined {
  const names: Partial<Record<SchemeName, string>> = {
    github: 'x-hub-signature-256',
    generic: 'x-webhook-signature-v2',
    legacy: 'x-webhook-signature',
  }
  return scheme && headers[names[scheme] ?? '']
}

function isStandard({ headers, body }: SignedRequest, prefix: (typeof standardNames)[number], secret: string, now: number): boolean {
  const id = headers[`${prefix}-id`] ?? ''
  const time = headers[`${prefix}-timestamp`] ?? ''
  if (id === '' || !isRecent(time, now)) return false
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret
  const expected = `v1,${sign(key, [`${id}.${time}.`, body], 'base64')}`
  return (headers[`${prefix}-signature`] ?? '').split(' ').some((given) => isSameSecret(given, expected))
}

function isRecent(seconds: string, now: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(Number(seconds) - Math.floor(now / 1000)) <= mostSkew
}

function sign(key: string | Uint8Array, parts: readonly (string | Uint8Array)[], encoding: 'hex' | 'base64'): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest(encoding)
}
