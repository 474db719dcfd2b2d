import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { ToolTurn } from '../tool-turn.ts'
import { type ConsentOptions, createConsent } from './consent.ts'
import type { Danger } from './dangers.ts'
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
  /** Resolves when the call may run; rejects with the reason why it may not. */
  check(tool: ToolManifest, args: Wire, turn: ToolTurn): Promise<void>
}

/** Enforces the guards of the manifests: the floor and the protected paths always, the danger categories as the settings say. */
export function createApprovals(options: ApprovalOptions): Approvals {
  const { deny, userHome, home } = options
  const paths = createPathRules(options)
  const settle = createConsent(options)
  const shown = (text: string): string => mask(text, options.secrets())

  function dangersOf(as: 'command' | 'read-path' | 'write-path', value: string, turn: ToolTurn): Promise<readonly Danger[]> {
    if (as === 'command') return dangersOfCommand(value, turn)
    return dangersOfPath(value, as === 'read-path' ? 'read' : 'write', turn)
  }

  async function dangersOfPath(path: string, use: 'read' | 'write', { workspace }: ToolTurn): Promise<readonly Danger[]> {
    const verdict = await paths.judge(paths.resolve(path, workspace), use)
    if (verdict === 'refuse') throw fail('PATH_PROTECTED', { path })
    return verdict ? [verdict] : []
  }

  async function dangersOfCommand(command: string, { workspace }: ToolTurn): Promise<readonly Danger[]> {
    const verdict = await judgeCommand(command, { workspace, userHome, home, deny, paths })
    if (verdict.type === 'forbidden') throw fail('COMMAND_FORBIDDEN', { reason: verdict.reason })
    if (verdict.type === 'protected') throw fail('PATH_PROTECTED', { path: verdict.path })
    if (verdict.type === 'denied') {
      const reason = `it fits "${verdict.pattern}"`
      throw fail('APPROVAL_DENIED', { subject: shown(command), reason, setting: 'approvals.deny in config.yaml forbids it.' })
    }
    return verdict.type === 'dangerous' ? verdict.dangers : []
  }

  return {
    async check(tool, args, turn) {
      const values = args as { readonly [key: string]: Wire | undefined }
      for (const { argument, as } of tool.guards) {
        const value = values[argument]
        if (typeof value !== 'string' || value === '') continue
        const dangers = await dangersOf(as, value, turn)
        if (dangers.length > 0) await settle({ tool: tool.name, subject: shown(value), dangers }, turn)
      }
    },
  }
}

function mask(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => (secret === '' ? masked : masked.replaceAll(secret, '***')), text)
}
