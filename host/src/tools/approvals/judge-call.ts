import type { ToolManifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { ToolTurn } from '../tool-turn.ts'
import { type JudgedCommand, judgeCommand } from './judge-command.ts'
import type { PathRules } from './path-rules.ts'
import type { SessionFacts } from './session-facts.ts'

export interface JudgeSettings {
  /** Globs over commands that are never run, whatever the mode. */
  readonly deny: readonly string[]
  /** The agent's home. */
  readonly home: string
  /** The user's own folder. */
  readonly userHome: string
  /** Values that are never shown. */
  readonly secrets: () => readonly string[]
  /** Processes that no command ends unasked. */
  readonly ownProcesses?: readonly number[]
}

/** An argument that has a guard. */
export interface Guarded {
  readonly as: ToolManifest['guards'][number]['as']
  readonly value: string
  readonly folder: string | undefined
  readonly isContained: boolean
}

export type Judge = (guarded: Guarded, turn: ToolTurn) => Promise<JudgedCommand>

/** What the rules say about one argument; rejects where they refuse it. */
export function createJudge(options: JudgeSettings, paths: PathRules, facts: Pick<SessionFacts, 'written'>): Judge {
  async function judgePath(value: string, use: 'read' | 'write', { workspace }: ToolTurn): Promise<JudgedCommand> {
    const path = paths.resolve(value, workspace)
    const verdict = await paths.judge(path, use)
    if (verdict === 'refuse') throw fail('PATH_PROTECTED', { path: value })
    const isOwn = verdict?.name === 'system-files' && path.startsWith(`${workspace}/`)
    const dangers = verdict === undefined || isOwn ? [] : [verdict]
    return { dangers, names: dangers.map(({ name }) => name), paths: [{ path, use, tree: false }] }
  }

  async function judgeText(command: string, folder: string, contained: boolean, { workspace, session }: ToolTurn): Promise<JudgedCommand> {
    const where = { workspace, folder, written: facts.written(session), contained, paths }
    const verdict = await judgeCommand(command, { ...options, ...where })
    if (verdict.type === 'forbidden') throw fail('COMMAND_FORBIDDEN', { reason: verdict.reason })
    if (verdict.type === 'protected') throw fail('PATH_PROTECTED', { path: verdict.path })
    if (verdict.type === 'judged') return verdict
    const reason = `it fits "${verdict.pattern}"`
    throw fail('APPROVAL_DENIED', {
      subject: mask(command, options.secrets()),
      reason,
      setting: 'approvals.deny in config.yaml forbids it.',
    })
  }

  return async ({ as, value, folder, isContained }, turn) => {
    if (as === 'command') return judgeText(value, folder ?? turn.workspace, isContained, turn)
    if (as === 'read-path' || as === 'write-path') return judgePath(value, as === 'read-path' ? 'read' : 'write', turn)
    return { dangers: [], names: [], paths: [] }
  }
}

export function mask(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => (secret === '' ? masked : masked.replaceAll(secret, '***')), text)
}
