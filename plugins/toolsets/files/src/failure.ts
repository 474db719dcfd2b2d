import type { ToolResult } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not access it',
  EPERM: 'this user may not change it',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full; nothing was changed',
  ELOOP: 'its links go round in a circle',
  ENAMETOOLONG: 'the name is too long',
}

/** A file system's refusal as a result with a sentence for the model. */
export function failure(tool: string, path: string, error: unknown): ToolResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const detail = sentences[code] ? `${path}: ${sentences[code]}` : detailOf(error)
  return { ok: false, error: { code: 'TOOL_FAILED', params: { tool, detail } } }
}
