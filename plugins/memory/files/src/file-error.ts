import { type AgentError, fail } from '@agent/plugin-sdk/errors'

/** A failure of the disk, with what to do about it. */
export function fileError(path: string, error: unknown): AgentError {
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return fail('STORE_FULL', { file: path }, { cause: error })
  return fail('FILE_UNREADABLE', { path, problem: `cannot be read or written (${code})`, fix: 'look at its rights' }, { cause: error })
}

export function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown')
}
