import { findLogin } from '#config/auth/auth-store.ts'
import { authFiles } from '#config/auth/logged-in.ts'
import type { Home } from '#config/home/home.ts'
import { loginOfServer } from '#models/credentials/service-logins.ts'
import { describeLogin } from '../../logins/list-logins.ts'

export interface ServerLogin {
  readonly state: 'none' | 'good' | 'renews' | 'ended'
  readonly detail: string
  /** It belongs to the home around the profile. */
  readonly inherited: boolean
}

/** How it stands with the login with a server of this address. */
export function findServerLogin(home: Home, name: string, url: string, now: number): ServerLogin {
  const found = findLogin(authFiles(home), loginOfServer(name))
  if (!found) return { state: 'none', detail: '', inherited: false }
  const { file, login } = found
  const inherited = file !== home.files.auth
  const made = login.service?.url
  if (made === undefined || made === url) return { ...describeLogin(login, now), inherited }
  return { state: 'ended', detail: `it was made with another address, ${new URL(made).origin}`, inherited }
}
