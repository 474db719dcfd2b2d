import { randomBytes, scrypt } from 'node:crypto'
import { fail } from '@agent/plugin-sdk/errors'
import { isSameSecret } from '@agent/plugin-sdk/http'

const cost = 16_384
const keyLength = 32

/** `scrypt$<cost>$<salt>$<key>`, in base64url. */
export interface PasswordHash {
  readonly cost: number
  readonly salt: Buffer
  readonly key: string
}

/** Reads a hash as AGENT_DASHBOARD_BASIC_AUTH_PASSWORD_HASH has it. */
export function parseHash(text: string): PasswordHash {
  const [, count = '', salt = '', key = ''] = /^scrypt\$(\d{4,7})\$([\w-]+)\$([\w-]+)$/.exec(text.trim()) ?? []
  const power = Math.log2(Number(count))
  if (key === '' || !Number.isInteger(power) || power > 20)
    throw fail('ENV_INVALID', { name: 'AGENT_DASHBOARD_BASIC_AUTH_PASSWORD_HASH', problem: 'is not scrypt$<cost>$<salt>$<key>' })
  return { cost: Number(count), salt: Buffer.from(salt, 'base64url'), key }
}

export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16)
  return { cost, salt, key: await derive(password, salt, cost) }
}

export async function fitsPassword(password: string, hash: PasswordHash): Promise<boolean> {
  return isSameSecret(await derive(password, hash.salt, hash.cost), hash.key)
}

function derive(password: string, salt: Buffer, N: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer): void => (error ? reject(error) : resolve(key.toString('base64url')))
    scrypt(password.normalize('NFKC'), salt, keyLength, { N, maxmem: 256 * N * 8 }, done)
  })
}
