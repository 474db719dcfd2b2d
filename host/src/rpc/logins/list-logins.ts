import { readAuthFile, type StoredLogin } from '#config/auth/auth-file.ts'
import { authFiles } from '#config/auth/logged-in.ts'
import { readEnvFile } from '#config/environment/env-file.ts'
import type { Home } from '#config/home/home.ts'
import { fingerprintOf } from '#models/credentials/pool.ts'
import { givenKey } from '#models/request/endpoint.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'

export interface LoginRow {
  readonly provider: string
  readonly kind: StoredLogin['kind'] | 'key'
  /** `renews`: it is over and can be renewed. `rests`: it was refused. */
  readonly state: 'good' | 'renews' | 'rests' | 'ended'
  readonly detail: string
  readonly file: string
}

/** The logins and the further keys of a home; a profile's come before the others. */
export function listLogins(home: Home, now: number): readonly LoginRow[] {
  const files = authFiles(home)
  const { rests } = readAuthFile(files[0] ?? home.files.auth)
  const seen = new Set<string>()
  return files.flatMap((file): readonly LoginRow[] => {
    const { logins, keys } = readAuthFile(file)
    // A profile's own login hides that of the home around it.
    const shown = Object.entries(logins).filter(([provider]) => !seen.has(provider))
    for (const [provider] of shown) seen.add(provider)
    return [
      ...shown.map(([provider, login]) => ({ provider, kind: login.kind, file, ...describeLogin(login, now) })),
      ...Object.entries(keys).flatMap(([provider, of]) =>
        of.map(({ key, label, at }, index): LoginRow => {
          const rest = rests[provider]?.[fingerprintOf(key)]
          const isResting = rest !== undefined && rest.until > now
          const name = [`${index + 1}`, label, `kept ${new Date(at).toISOString().slice(0, 10)}`].filter(Boolean).join(', ')
          const until = isResting ? `; rests until ${new Date(rest.until).toISOString()} (${rest.class})` : ''
          return { provider, kind: 'key', state: isResting ? 'rests' : 'good', detail: `${name}${until}`, file }
        }),
      ),
    ]
  })
}

/** The keys that stand in variables and in the settings, each for the providers that read it. */
export function listGivenKeys({ home, loaded, catalog }: Pick<OpenedCatalog, 'home' | 'loaded' | 'catalog'>): readonly LoginRow[] {
  return catalog.of('provider').flatMap(({ id, spec }): readonly LoginRow[] => {
    if (givenKey(spec, loaded) === undefined) return []
    const name = spec.keyEnv.find((each) => loaded.environment.get(each))
    const isShadowing = loaded.loggedIn.has(id)
    const detail = `${name ?? 'model.api_key'} is set${isShadowing ? ', and holds before the rest' : ''}`
    return [{ provider: id, kind: 'key', state: 'good', detail, file: placeOf(name, home) }]
  })
}

function placeOf(variable: string | undefined, { files }: Home): string {
  if (variable === undefined) return files.config
  return readEnvFile(files.env).values[variable] === undefined ? 'the environment' : files.env
}

/** How it stands with a login, and what is known of it. */
export function describeLogin(login: StoredLogin, now: number): { readonly state: 'good' | 'renews' | 'ended'; readonly detail: string } {
  if (login.ended !== undefined) return { state: 'ended', detail: login.ended }
  if (login.kind === 'cli') return { state: 'good', detail: "another program's login, read in place" }
  if (login.expiresAt === undefined) return { state: 'good', detail: 'it lasts until it is withdrawn' }
  const until = new Date(login.expiresAt).toISOString()
  if (now < login.expiresAt) return { state: 'good', detail: `good until ${until}${login.refresh === undefined ? '' : ', and renewed'}` }
  if (login.refresh === undefined) return { state: 'ended', detail: `over since ${until}` }
  return { state: 'renews', detail: `over since ${until}; renewed at its next use` }
}
