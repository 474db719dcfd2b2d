import { readAuthFile, type StoredLogin } from '#config/auth/auth-file.ts'
import { authFiles } from '#config/auth/logged-in.ts'
import type { Home } from '#config/home/home.ts'

export interface LoginRow {
  readonly provider: string
  readonly kind: StoredLogin['kind'] | 'keys'
  /** `renews`: it is over and can be renewed. */
  readonly state: 'good' | 'renews' | 'ended'
  readonly detail: string
  readonly file: string
}

/** The logins and the lists of keys of a home; a profile's come before the others. */
export function listLogins(home: Home, now: number): readonly LoginRow[] {
  const rows = authFiles(home).flatMap((file): readonly LoginRow[] => {
    const { logins, keys } = readAuthFile(file)
    return [
      ...Object.entries(logins).map(([provider, login]) => ({ provider, kind: login.kind, file, ...describe(login, now) })),
      ...Object.entries(keys).map(([provider, of]): LoginRow => {
        const detail = `${of.length} ${of.length === 1 ? 'key' : 'keys'} beside its variable`
        return { provider, kind: 'keys', state: 'good', detail, file }
      }),
    ]
  })
  // A profile's own login hides that of the home around it.
  return rows.filter(
    (row, index) =>
      rows.findIndex(({ provider, kind }) => provider === row.provider && (kind === 'keys') === (row.kind === 'keys')) === index,
  )
}

function describe(login: StoredLogin, now: number): Pick<LoginRow, 'state' | 'detail'> {
  if (login.ended !== undefined) return { state: 'ended', detail: login.ended }
  if (login.kind === 'cli') return { state: 'good', detail: "another program's login, read in place" }
  if (login.expiresAt === undefined) return { state: 'good', detail: 'it lasts until it is withdrawn' }
  const until = new Date(login.expiresAt).toISOString()
  if (now < login.expiresAt) return { state: 'good', detail: `good until ${until}${login.refresh === undefined ? '' : ', and renewed'}` }
  if (login.refresh === undefined) return { state: 'ended', detail: `over since ${until}` }
  return { state: 'renews', detail: `over since ${until}; renewed at its next use` }
}
