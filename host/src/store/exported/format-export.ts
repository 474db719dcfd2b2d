import type { Wire } from '@agent/plugin-sdk'
import type { ExportLine } from '../sessions.ts'
import { formatWire } from '../sqlite/engine/wire-json.ts'

/** A line of the file of an exported session. Blocks of providers may hold bytes, which JSON does not know. */
export function formatExport(line: ExportLine): string {
  return formatWire(line as unknown as Wire)
}
