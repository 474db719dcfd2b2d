import { stat } from 'node:fs/promises'
import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import type { ToolTurn } from '../tool-turn.ts'
import { guardedText, hasGuard } from './arguments.ts'
import type { PathRules } from './path-rules.ts'

/** Where commands run. What is judged here is handed to the tool, which starts nowhere else. */
export interface Folders {
  of(tool: ToolManifest, args: Wire, turn: ToolTurn): Promise<string | undefined>
  moved(tool: ToolManifest, session: string, folder: string): void
}

const mostSessions = 500

export function createFolders(paths: Pick<PathRules, 'resolve'>): Folders {
  const folders = new Map<string, string>()
  const keyOf = (tool: ToolManifest, session: string): string => `${session} ${tool.name}`
  return {
    async of(tool, args, turn) {
      if (!hasGuard(tool, 'command')) return undefined
      const wanted = guardedText(tool, 'folder', args)
      if (wanted !== '') return paths.resolve(wanted, turn.workspace)
      const last = folders.get(keyOf(tool, turn.session))
      // A command may have deleted the folder it was in; a private /tmp cannot be looked into from here, and then the tool says so.
      return last !== undefined && (/^\/(?:var\/)?tmp\//.test(last) || (await isFolder(last))) ? last : turn.workspace
    },
    moved(tool, session, folder) {
      if (!hasGuard(tool, 'folder')) return
      const key = keyOf(tool, session)
      folders.delete(key)
      folders.set(key, folder)
      const [oldest] = folders.keys()
      if (folders.size > mostSessions && oldest !== undefined) folders.delete(oldest)
    },
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  )
}
