import { partEnd } from './shell-script.ts'

/** What one session's shell left behind for its next command. */
export interface ShellState {
  readonly folder: string
  /** `export` lines; absent before the first command. */
  readonly variables?: string | undefined
}

export interface ShellStates {
  /** Where the next command of a session starts. */
  of(session: string, workspace: string): ShellState
  /** Takes over what a command told; one that was killed told nothing whole and changes nothing. */
  keep(session: string, told: Told | undefined, what: { readonly folder: boolean }): void
}

/** What a shell tells when it ends. */
export interface Told {
  readonly folder: string
  readonly variables: string
  /** Whether something that it started in the background still ran. */
  readonly leaves: boolean
}

const mostSessions = 500
/** Linux takes 128 KiB in one variable of a program. */
const mostVariables = 120_000

export function createShellStates(): ShellStates {
  const states = new Map<string, { readonly folder: string | undefined; readonly variables: string | undefined }>()
  return {
    of(session, workspace) {
      const { folder = workspace, variables } = states.get(session) ?? {}
      return { folder, variables }
    },
    keep(session, told, what) {
      if (!told) return
      const known = states.get(session)
      const fits = Buffer.byteLength(told.variables) <= mostVariables
      states.delete(session)
      states.set(session, { folder: what.folder ? told.folder : known?.folder, variables: fits ? told.variables : known?.variables })
      const [oldest] = states
      if (states.size > mostSessions && oldest) states.delete(oldest[0])
    },
  }
}

/** Nothing where a part is missing. */
export function parseTold(text: string): Told | undefined {
  const [folder, variables, jobs, rest] = text.split(partEnd)
  if (folder === undefined || variables === undefined || jobs === undefined || rest === undefined) return undefined
  return { folder: folder.replace(/\n$/, ''), variables, leaves: jobs.trim() !== '' }
}
