import { fail } from '@agent/plugin-sdk/errors'
import { changeAuthFile, readAuthFile, type StoredLogin } from './auth-file.ts'

export interface FoundLogin {
  /** The file it lies in: that of a profile, or of the home around it. */
  readonly file: string
  readonly login: StoredLogin
}

export function findLogin(files: readonly string[], provider: string): FoundLogin | undefined {
  for (const file of files) {
    const { logins } = readAuthFile(file)
    const login = Object.hasOwn(logins, provider) ? logins[provider] : undefined
    if (login) return { file, login }
  }
  return undefined
}

/** A new login takes the place of an old one. */
export function keepLogin(file: string, provider: string, login: Omit<StoredLogin, 'generation'>): void {
  changeAuthFile(file, (data) => {
    const generation = (data.logins[provider]?.generation ?? 0) + 1
    return { data: { ...data, logins: { ...data.logins, [provider]: { ...login, generation } } }, result: undefined }
  })
}

/** False where there was none. */
export function forgetLogin(file: string, provider: string): boolean {
  return changeAuthFile(file, (data) => {
    if (!Object.hasOwn(data.logins, provider)) return { result: false }
    const { [provider]: _, ...logins } = data.logins
    return { data: { ...data, logins }, result: true }
  })
}

/** Gives a renewed login to everybody, unless somebody was faster: then theirs is given back. */
export function replaceLogin(file: string, provider: string, seen: StoredLogin, next: StoredLogin): StoredLogin {
  return changeAuthFile(file, (data) => {
    const now = data.logins[provider]
    if (!now) throw fail('LOGIN_NEEDED', { provider })
    if (now.generation !== seen.generation) return { result: now }
    return { data: { ...data, logins: { ...data.logins, [provider]: next } }, result: next }
  })
}
