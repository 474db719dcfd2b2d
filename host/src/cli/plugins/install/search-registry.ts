import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNpm } from '#kernel/package/run-npm.ts'
import type { Cli } from '../../console/cli.ts'
import { createProgress } from '../package/progress.ts'

/** The keyword by which plugins are found in a registry. */
const keyword = 'agent-plugin'

export interface FoundPackage {
  readonly name: string
  readonly version: string
  readonly description: string
}

/** Asks the registry for plugins; nothing of the home is read or written. */
export async function searchRegistry(cli: Cli, words: readonly string[]): Promise<readonly FoundPackage[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'agent-search-'))
  try {
    const npm = { cwd, cache: join(cwd, 'npm'), environment: cli.environment, signal: cli.signal, timeoutMs: 60_000 }
    const ask = async (...terms: readonly string[]): Promise<readonly FoundPackage[]> => {
      const answer = await createProgress(cli)('Asking the registry', () =>
        runNpm('The list of packages', ['search', '--searchlimit=100', '--', ...terms], npm),
      )
      return Array.isArray(answer) ? answer.flatMap(toPackage).filter((found) => fits(found, words)) : []
    }
    const found = await ask(`keywords:${keyword}`, ...words)
    // Smaller registries know no such filter and look for the words as they are.
    return found.length > 0 ? found : await ask(keyword)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

// Registries differ in how far they look: some answer with packages that merely mention a word.
function toPackage(raw: unknown): readonly FoundPackage[] {
  const { name, description = '', keywords, ...more } = raw as Readonly<Record<string, unknown>>
  const version = more.version ?? (more['dist-tags'] as Readonly<Record<string, unknown>> | undefined)?.latest
  if (typeof name !== 'string' || typeof version !== 'string' || typeof description !== 'string') return []
  return Array.isArray(keywords) && keywords.includes(keyword) ? [{ name, version, description }] : []
}

function fits({ name, description }: FoundPackage, words: readonly string[]): boolean {
  const text = `${name} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}
