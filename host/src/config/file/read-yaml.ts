import type { Document, LineCounter } from 'yaml'
import { type KeyPath, offsetOf } from './key-path.ts'
import { parseYaml, type YamlFault } from './parse-yaml.ts'

/** A text in YAML that is no settings: plain data, and where each of it stands. */
export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; lineOf(path: KeyPath): number }
  | { readonly ok: false; readonly fault: YamlFault }

export function readYaml(text: string): ReadYaml {
  const parsed = parseYaml(text)
  if (!parsed.ok) return parsed
  const { document, lines } = parsed
  return { ok: true, value: document.toJS({ maxAliasCount: -1 }) as unknown, lineOf: (path) => lineOf(document, lines, path) }
}

function lineOf(document: Document, lines: LineCounter, path: KeyPath): number {
  return lines.linePos(offsetOf(document, path)).line || 1
}
