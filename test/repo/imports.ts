import { dirname, join } from 'node:path/posix'
import { readText } from './source-files.ts'

export interface Import {
  readonly file: string
  /** As written. */
  readonly specifier: string
  /** Path in the repository, for relative and `#` imports; otherwise the package's name. */
  readonly target: string
}

const statement =
  /(?:^|[\n;])\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\n;])\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** What a source file imports, types included. */
export function readImports(file: string): readonly Import[] {
  return findSpecifiers(readText(file)).map((specifier) => ({ file, specifier, target: resolveTarget(file, specifier) }))
}

/** The specifiers of a text's imports, in order. */
export function findSpecifiers(text: string): readonly string[] {
  return [...text.matchAll(statement)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

function resolveTarget(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(file), specifier)
  if (specifier.startsWith('#')) return `host/src/${specifier.slice(1)}`
  return packageOf(specifier)
}

/** `@scope/name/deep` → `@scope/name`; `node:fs/promises` → `node:fs`. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier)
}
