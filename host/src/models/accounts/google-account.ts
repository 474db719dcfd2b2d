import { withTimeLimit } from '@agent/plugin-sdk'
import type { AccountDeps, OpenAccount } from './account.ts'
import { defaultCredentialsPath, type GoogleKeys, readGoogleKeys } from './google-keys.ts'
import { fetchGoogleToken, type GoogleToken } from './google-token.ts'

const tokenMs = 30_000
/** A token is renewed while it still holds for a long answer to begin. */
const earlyMs = 300_000

/** Tokens by Google's Application Default Credentials: the file of a service account, or the login of gcloud. */
export const openGoogleAccount: OpenAccount = async (deps) => {
  const path = defaultCredentialsPath(deps)
  const project = (await readGoogleKeys(path).catch(() => undefined))?.project
  let current: GoogleToken | undefined
  return {
    variables: project ? { GOOGLE_CLOUD_PROJECT: project } : {},
    credential: {
      async authorize(_request, signal) {
        if (!current || deps.clock.now() >= current.until - earlyMs) current = await renew(deps, path, signal)
        return proofOf(current)
      },
      async refused({ status, proof }) {
        if (status !== 401 || !current || proof.authorization !== proofOf(current).authorization) return false
        // A token that was just made would be refused again.
        const isFresh = current.until - deps.clock.now() > current.lastsMs - 10_000
        current = undefined
        return !isFresh
      },
    },
  }
}

function proofOf({ token, quotaProject }: GoogleToken): Record<string, string> {
  return { authorization: `Bearer ${token}`, ...(quotaProject ? { 'x-goog-user-project': quotaProject } : {}) }
}

async function renew({ clock, provider }: AccountDeps, path: string, signal: AbortSignal): Promise<GoogleToken> {
  const keys: GoogleKeys = await readGoogleKeys(path, provider)
  return withTimeLimit({ clock, signal, ms: tokenMs, what: keys.tokenUrl.host }, (own) =>
    fetchGoogleToken(keys, { provider, clock, signal: own }),
  )
}
