import { existsSync } from 'node:fs'

/** What this machine is called in the frontmatter of a skill. */
export interface Here {
  readonly platforms: readonly string[]
  readonly environments: readonly string[]
}

const systems: Readonly<Record<string, readonly string[]>> = { darwin: ['macos', 'darwin'], win32: ['windows', 'win32'] }

/** What tells of an environment by being there. */
const signs = { container: ['/.dockerenv', '/run/.containerenv'], s6: ['/run/s6'] } as const

/** Looks at the machine. Environments that this version knows nothing of, such as `kanban`, are not here. */
export function lookAround(platform: string, exists: (path: string) => boolean = existsSync): Here {
  const found = Object.entries(signs).flatMap(([name, paths]) => (paths.some(exists) ? [name] : []))
  return { platforms: systems[platform] ?? [platform], environments: found }
}

/** True where nothing is wanted, or one of it is here. */
export function fits(wanted: readonly string[], here: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((name) => here.includes(name.toLowerCase()))
}
