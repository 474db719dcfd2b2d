import { basename } from 'node:path'

/** `~` is the user's folder, for whatever tool: there is no folder of that name unless it is written as `./~`. */
export function expandHome(path: string, userHome: string): string {
  const name = basename(userHome)
  return path.replace(/^~([\w.-]*)(?=\/|$)/, (all, user: string) =>
    user === '' || user === name ? userHome : user === 'root' ? '/root' : all,
  )
}

/** The other way round, for people. */
export function shortenHome(path: string, userHome: string): string {
  return path === userHome || path.startsWith(`${userHome}/`) ? `~${path.slice(userHome.length)}` : path
}
