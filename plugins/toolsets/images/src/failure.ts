import type { ToolResult } from '@agent/plugin-sdk'
import { detailOf, isAgentError, toWireError } from '@agent/plugin-sdk/errors'

/** What went wrong, with the code of the host or the backend that said it; a refusal of the file system gets a sentence. */
export function failure(tool: string, path: string, error: unknown): ToolResult {
  if (isAgentError(error)) return { ok: false, error: toWireError(error) }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const sentence = sentences[code]
  return { ok: false, error: { code: 'TOOL_FAILED', params: { tool, detail: sentence ? `${path}: ${sentence}` : detailOf(error) } } }
}

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not access it',
  EISDIR: 'it is a folder',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
}
