import type { ToolManifest, Wire } from '@agent/plugin-sdk'

const limit = 80

/** One line that tells a person what a call is about: its guarded argument, else its first text. */
export function previewOf(tool: ToolManifest | undefined, args: Wire): string {
  if (args === null || typeof args !== 'object' || Array.isArray(args) || args instanceof Uint8Array) return ''
  const values = args as { readonly [key: string]: Wire | undefined }
  const guarded = tool?.guards.map((guard) => values[guard.argument]) ?? []
  const text = [...guarded, ...Object.values(values)].find((value) => typeof value === 'string' && value !== '')
  if (typeof text !== 'string') return ''
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}
