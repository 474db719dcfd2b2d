import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { fail } from '@agent/plugin-sdk/errors'
import { readText } from '#kernel/read-text.ts'
import { parseJson } from '../request/refusal.ts'
import type { LoginManifest } from './login-manifest.ts'
import type { LoginToken, TokenSource } from './login-tokens.ts'
import { readPointer, readTime } from './pointer.ts'

interface CliTokensOptions {
  readonly provider: string
  readonly manifest: Extract<LoginManifest, { kind: 'cli' }>
  readonly keepSecret: (secret: string) => void
  readonly now: () => number
}

const mostBytes = 1024 * 1024

/** Another program has a file where its login would be. */
export function hasCliFile(manifest: Extract<LoginManifest, { kind: 'cli' }>): boolean {
  return existsSync(cliFile(manifest))
}

function cliFile({ file }: Extract<LoginManifest, { kind: 'cli' }>): string {
  return file.replace(/^~(?=\/)/, homedir())
}

/** The token of another program's login, read again for each request: that program renews it. Its file is never written. */
export function createCliTokens({ provider, manifest, keepSecret, now }: CliTokensOptions): TokenSource {
  const { program, tokenAt, expiresAt, headers } = manifest
  const path = cliFile(manifest)
  const ended = (detail: string): Error => fail('LOGIN_ENDED', { provider, detail: `${detail}; ${program} renews it when it is used` })
  return {
    async current(refused): Promise<LoginToken> {
      const text = readText(path, { mostBytes })
      if (text === undefined) throw fail('LOGIN_FAILED', { provider, detail: `${program} has no login at ${path}; log in there first` })
      const data = parseJson(text)
      const token = readPointer(data, tokenAt)
      if (typeof token !== 'string' || token === '')
        throw fail('LOGIN_FAILED', { provider, detail: `${path} has no token at ${tokenAt}; log in with ${program} again` })
      if (token === refused) throw ended(`the token of ${program} was refused`)
      const until = expiresAt === undefined ? undefined : readTime(readPointer(data, expiresAt))
      // Ten minutes: that far the clocks of two machines may differ. The vendor has the last word.
      if (until !== undefined && until + 600_000 < now()) throw ended(`the token of ${program} has run out`)
      keepSecret(token)
      const values = Object.entries(headers).flatMap(([name, pointer]) => {
        const value = readPointer(data, pointer)
        return typeof value === 'string' ? [[name, value] as const] : []
      })
      return { token, headers: Object.fromEntries(values) }
    },
  }
}
