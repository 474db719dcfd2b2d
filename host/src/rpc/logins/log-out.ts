import { fail } from '@agent/plugin-sdk/errors'
import { forgetLogin } from '#config/auth/auth-store.ts'
import { authFiles } from '#config/auth/logged-in.ts'
import { findProvider } from '#models/select.ts'
import { askReload, type Reloaded } from '../gateway/reload-gateway.ts'
import { openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
import { listLogins } from './list-logins.ts'

export interface LoggedOut extends Reloaded {
  readonly provider: string
  /** False where there was no login. */
  readonly forgotten: boolean
}

/** Forgets the login of a provider. Rejects with USAGE where it belongs to the home around the profile. */
export async function logOut(context: HomeContext, wanted: string): Promise<LoggedOut> {
  const { home, catalog } = await openCatalog(context)
  const { id: provider } = findProvider(catalog, wanted)
  const [own = '', around] = authFiles(home)
  const forgotten = forgetLogin(own, provider)
  const left = around !== undefined && listLogins(home, 0).some((row) => row.provider === provider && row.file === around)
  if (!forgotten && left) {
    const problem = `The login of ${provider} belongs to the home around this profile.`
    throw fail('USAGE', { problem, try: `agent -p default logout ${provider}` })
  }
  if (!forgotten) return { provider, forgotten, said: [`There was no login of ${provider}.`], live: true }
  const { said, live } = await askReload(context, home, { unchanged: 'The running gateway has forgotten it, too.' })
  return { provider, forgotten, said: [`The login of ${provider} is forgotten.`, ...said], live }
}
