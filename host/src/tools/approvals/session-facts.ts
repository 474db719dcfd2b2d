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
  /** Texts of scripts that were let into an interpreter which may have kept what they left. */
  scripts(session: string, interpreter: string): readonly string[]
  letIn(session: string, interpreter: string, script: string): void
  /** A new interpreter has taken the place of the one before, and run this. */
  begun(session: string, interpreter: string, script: string): void
}

interface Facts {
  readonly folders: Map<string, string>
  readonly written: Set<string>
  readonly scripts: Map<string, Set<string>>
}

const mostSessions = 500
const mostFiles = 1000
/** Texts that are longer together are judged as one that nobody can read, whatever comes after. */
const longestScripts = 100_000

export function createSessionFacts(paths: Pick<PathRules, 'resolve'>): SessionFacts {
  const sessions = new Map<string, Facts>()

  function factsOf(session: string): Facts {
    const facts = sessions.get(session) ?? { folders: new Map(), written: new Set(), scripts: new Map() }
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
    scripts: (session, interpreter) => [...(sessions.get(session)?.scripts.get(interpreter) ?? [])],
    letIn(session, interpreter, script) {
      const { scripts } = factsOf(session)
      const known = scripts.get(interpreter) ?? new Set()
      scripts.set(interpreter, known)
      const length = [...known].reduce((sum, each) => sum + each.length, 0)
      if (length <= longestScripts) known.add(script)
    },
    begun(session, interpreter, script) {
      factsOf(session).scripts.set(interpreter, new Set([script]))
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
