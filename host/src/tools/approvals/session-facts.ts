import { realpath, stat } from 'node:fs/promises'
import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import type { ToolTurn } from '../tool-turn.ts'
import { guardedText, hasGuard } from './arguments.ts'
import type { PathRules } from './path-rules.ts'

/** What the calls of a session leave behind for the judgement of later ones. */
export interface SessionFacts {
  /** Where a command runs. What is judged here is handed to the tool, which starts nowhere else. */
  folderOf(tool: ToolManifest, args: Wire, turn: ToolTurn): Promise<string | undefined>
  moved(tool: ToolManifest, session: string, folder: string): void
  /** Files that were written, of which the newest are kept. */
  written(session: string): ReadonlySet<string>
  wrote(session: string, paths: readonly string[]): void
}

interface Facts {
  readonly folders: Map<string, string>
  readonly written: Set<string>
}

const mostSessions = 500
const mostFiles = 1000

export function createSessionFacts(paths: Pick<PathRules, 'resolve'>): SessionFacts {
  const sessions = new Map<string, Facts>()

  function factsOf(session: string): Facts {
    const facts = sessions.get(session) ?? { folders: new Map(), written: new Set() }
    sessions.delete(session)
    sessions.set(session, facts)
    forgetOldest(sessions, mostSessions)
    return facts
  }

  return {
    async folderOf(tool, args, turn) {
      if (!hasGuard(tool, 'command')) return undefined
      const wanted = guardedText(tool, 'folder', args)
      if (wanted !== '') return realFolder(paths.resolve(wanted, turn.workspace))
      const last = factsOf(turn.session).folders.get(tool.name)
      // A command may have deleted the folder it was in; a private /tmp cannot be looked into from here, and then the tool says so.
      return last !== undefined && (/^\/(?:var\/)?tmp\//.test(last) || (await isFolder(last))) ? last : turn.workspace
    },
    moved(tool, session, folder) {
      if (hasGuard(tool, 'folder')) factsOf(session).folders.set(tool.name, folder)
    },
    written: (session) => factsOf(session).written,
    wrote(session, files) {
      const { written } = factsOf(session)
      for (const file of files) written.add(file)
      forgetOldest(written, mostFiles)
    },
  }
}

function forgetOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(key)
  }
}

const realFolder = (path: string): Promise<string> => realpath(path).catch(() => path)

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  )
}
