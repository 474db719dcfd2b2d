import type { Clock, ToolContext } from '@agent/plugin-sdk'
import { authFiles } from '#config/auth/logged-in.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { requireHostVerb } from '#kernel/activation/plugin-context.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { Ledger } from '#kernel/ledger.ts'

interface Parts {
  readonly home: Home
  readonly loaded: Pick<Loaded, 'environment'>
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'signal'>
}

type Login = ToolContext['login']

/** The verb `login`, for plugins that declare it. What it takes is loaded by the first that asks. */
export function createLogins({ home, loaded, clock, ledger }: Parts): (contribution: Contribution) => Login {
  let opening: Promise<Login> | undefined
  const open = async (): Promise<Login> => {
    const { createServiceLogins } = await import('#models/credentials/service-logins.ts')
    return createServiceLogins({
      ...{ files: authFiles(home), clock, signal: ledger.signal, random: Math.random },
      keepSecret: (secret) => loaded.environment.keepSecret(secret),
    })
  }
  return (contribution) => async (wish) => {
    requireHostVerb(contribution, 'logins')
    opening ??= open()
    return (await opening)(wish)
  }
}
