import { existsSync } from 'node:fs'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { ConfigProblem } from '../file/loaded.ts'
import { type Home, homeOf } from '../home/home.ts'
import { defaultProfile } from '../home/profile-name.ts'

/** The files that a home reads logins from, the nearest first. A profile keeps its own and uses those of the home around it. */
export function authFiles(home: Home): readonly string[] {
  return home.profile === defaultProfile ? [home.files.auth] : [home.files.auth, homeOf(home.root, defaultProfile).files.auth]
}

interface LoggedIn {
  /** Providers that somebody logged in to, or gave a key for. */
  readonly loggedIn: ReadonlySet<string>
  readonly secrets: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/** Who is logged in to what. A home without a login reads and loads nothing for it; a broken file is named and leaves the rest at work. */
export async function readLoggedIn(home: Home): Promise<LoggedIn> {
  const files = authFiles(home).filter((file) => existsSync(file))
  if (files.length === 0) return { loggedIn: new Set(), secrets: [], problems: [] }
  const { readAuthFile } = await import('./auth-file.ts')
  const found = files.map((file): LoggedIn => {
    try {
      const { logins, keys } = readAuthFile(file)
      const tokens = Object.values(logins).flatMap(({ access, refresh }) => [access, refresh])
      const secrets = [...tokens, ...Object.values(keys).flatMap((of) => of.map(({ key }) => key))]
      return {
        loggedIn: new Set([...Object.keys(logins), ...Object.keys(keys)]),
        secrets: secrets.filter((one) => one !== undefined),
        problems: [],
      }
    } catch (error) {
      const problem = detailOf(error).replace(/\.$/, '')
      return { loggedIn: new Set(), secrets: [], problems: [{ file, line: 0, key: 'auth.json', problem, level: 'warning' }] }
    }
  })
  return {
    loggedIn: new Set(found.flatMap((one) => [...one.loggedIn])),
    secrets: found.flatMap(({ secrets }) => secrets),
    problems: found.flatMap(({ problems }) => problems),
  }
}
