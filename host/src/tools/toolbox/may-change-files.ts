import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import { guardedText, hasGuard } from '../approvals/arguments.ts'
import { readsOnly } from '../shell/reads-only.ts'

/** Whether a call may change files of the workspace: one that writes, and a command that is not known to read only. */
export function mayChangeFiles(tool: ToolManifest, args: Wire): boolean {
  if (tool.effect === 'none' || tool.effect === 'read') return false
  if (tool.effect === 'write' || !hasGuard(tool, 'command')) return true
  const command = guardedText(tool, 'command', args)
  return command !== '' && !readsOnly(command)
}
