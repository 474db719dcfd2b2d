import { linkSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What one session's shell left behind for its next command. */
export interface ShellState {
  readonly folder: string
  /** File of `export` lines, for one command alone; absent before the first command. */
  readonly variables?: string
}

export interface ShellStates {
  /** Where the next command of a session starts. */
  of(session: string, workspace: string): Promise<ShellState>
  /** Files into which a command writes its state when it ends. */
  draft(): Promise<{ readonly folder: string; readonly variables: string }>
  /** Takes over what a command wrote; a command that was killed wrote nothing and changes nothing. */
  keep(session: string, draft: { readonly folder: string; readonly variables: string }, what: { readonly folder: boolean }): Promise<void>
  close(): Promise<void>
}

const mostSessions = 500

export function createShellStates(): ShellStates {
  const states = new Map<string, { folder?: string; variables?: string }>()
  let scratch: Promise<string> | undefined
  let drafts = 0
  let starts = 0
  let isClosed = false

  async function forgetOldest(): Promise<void> {
    const [oldest] = states
    if (states.size <= mostSessions || !oldest) return
    states.delete(oldest[0])
    if (oldest[1].variables) await rm(oldest[1].variables, { force: true })
  }

  /** Another command of the session may end, and replace the file, before this one has read it. */
  function lend(variables: string): Pick<ShellState, 'variables'> {
    starts += 1
    const own = `${variables}.${starts}`
    try {
      linkSync(variables, own)
      return { variables: own }
    } catch {
      // Somebody has cleaned up the temporary folder: the command starts as the first one did.
      return {}
    }
  }

  return {
    async of(session, workspace) {
      const { folder, variables } = states.get(session) ?? {}
      const own = variables === undefined ? {} : lend(variables)
      const start = folder !== undefined && (await isFolder(folder)) ? folder : workspace
      return { folder: start, ...own }
    },
    async draft() {
      if (isClosed) throw new Error('the terminal is closed')
      scratch ??= mkdtemp(join(tmpdir(), 'agent-terminal-'))
      drafts += 1
      return { folder: join(await scratch, `${drafts}.folder`), variables: join(await scratch, `${drafts}.variables`) }
    },
    async keep(session, draft, what) {
      const folder = await readFile(draft.folder, 'utf8').catch(() => undefined)
      await rm(draft.folder, { force: true })
      const known = states.get(session)
      if (folder === undefined) {
        await rm(draft.variables, { force: true })
        return
      }
      states.delete(session)
      const kept = what.folder ? folder.replace(/\n$/, '') : known?.folder
      states.set(session, { ...(kept === undefined ? {} : { folder: kept }), variables: draft.variables })
      if (known?.variables) await rm(known.variables, { force: true })
      await forgetOldest()
    },
    async close() {
      isClosed = true
      states.clear()
      // A shell that is just ending may write its last file meanwhile.
      if (scratch) await rm(await scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    },
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  )
}
