import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { ToolTurn } from '../tool-turn.ts'
import { guardedText, guardedValue } from './arguments.ts'
import { type ConsentOptions, createConsent } from './consent.ts'
import type { Danger } from './dangers.ts'
import { createFolders } from './folders.ts'
import { judgeCommand } from './judge-command.ts'
import { createPathRules } from './path-rules.ts'

export interface ApprovalOptions extends ConsentOptions {
  /** Globs over commands that are never run, whatever the mode. */
  readonly deny: readonly string[]
  /** The agent's home. */
  readonly home: string
  /** The user's own folder. */
  readonly userHome: string
  /** Values that are never shown. */
  readonly secrets: () => readonly string[]
}

export interface Approvals {
  /** Resolves when the call may run, with the folder in which it was judged; rejects with the reason why it may not. */
  check(tool: ToolManifest, args: Wire, turn: ToolTurn): Promise<Cleared>
  /** Where the session's next call of this tool would start. */
  folderFor(tool: ToolManifest, args: Wire, turn: ToolTurn): Promise<string | undefined>
  /** A tool says where the session's next command starts. */
  moved(tool: ToolManifest, session: string, folder: string): void
}

export interface Cleared {
  /** Absent for tools that run no commands. */
  readonly folder: string | undefined
}

/** Enforces the guards of the manifests: the floor and the protected paths always, the danger categories as the settings say. */
export function createApprovals(options: ApprovalOptions): Approvals {
  const { deny, userHome, home } = options
  const paths = createPathRules(options)
  const settle = createConsent(options)
  const shown = (text: string): string => mask(text, options.secrets())

  const folders = createFolders(paths)

  async function dangersOf({ as, value, folder }: Guarded, turn: ToolTurn): Promise<readonly Danger[]> {
    if (as === 'command') return dangersOfCommand(value, folder ?? turn.workspace, turn)
    if (as === 'read-path' || as === 'write-path') return dangersOfPath(value, as === 'read-path' ? 'read' : 'write', turn)
    return []
  }

  async function dangersOfPath(path: string, use: 'read' | 'write', { workspace }: ToolTurn): Promise<readonly Danger[]> {
    const verdict = await paths.judge(paths.resolve(path, workspace), use)
    if (verdict === 'refuse') throw fail('PATH_PROTECTED', { path })
    return verdict ? [verdict] : []
  }

  async function dangersOfCommand(command: string, folder: string, { workspace }: ToolTurn): Promise<readonly Danger[]> {
    const verdict = await judgeCommand(command, { workspace, folder, userHome, home, deny, paths })
    if (verdict.type === 'forbidden') throw fail('COMMAND_FORBIDDEN', { reason: verdict.reason })
    if (verdict.type === 'protected') throw fail('PATH_PROTECTED', { path: verdict.path })
    if (verdict.type === 'denied') {
      const reason = `it fits "${verdict.pattern}"`
      throw fail('APPROVAL_DENIED', { subject: shown(command), reason, setting: 'approvals.deny in config.yaml forbids it.' })
    }
    return verdict.dangers
  }

  return {
    async check(tool, args, turn) {
      const values = args as { readonly [key: string]: Wire | undefined }
      const folder = await folders.of(tool, args, turn)
      for (const { argument, as } of tool.guards) {
        const value = values[argument]
        if (typeof value !== 'string' || value === '') continue
        const dangers = await dangersOf({ as, value, folder }, turn)
        const outside = as === 'command' && isOutside(tool, args) ? [outsideDanger(value, guardedText(tool, 'reason', args))] : []
        const all = [...outside, ...dangers].map((danger) => ({ ...danger, sentence: shown(danger.sentence) }))
        if (all.length > 0) await settle({ tool: tool.name, subject: shown(value), dangers: all }, turn)
      }
      return { folder }
    },
    folderFor: folders.of,
    moved: folders.moved,
  }
}

const isOutside = (tool: ToolManifest, args: Wire): boolean => guardedValue(tool, 'outside', args) === true

/** Saved for this command alone, and no mode answers it. */
function outsideDanger(command: string, reason: string): Danger {
  const why = reason === '' ? 'no reason is given' : `the reason given: ${reason}`
  return {
    name: `outside: ${command.trim().replaceAll(/\s+/g, ' ')}`,
    sentence: `it runs outside of the sandbox (${why})`,
    harm: 'machine',
    onlyPeople: true,
  }
}

interface Guarded {
  readonly as: ToolManifest['guards'][number]['as']
  readonly value: string
  readonly folder: string | undefined
}

function mask(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => (secret === '' ? masked : masked.replaceAll(secret, '***')), text)
}
