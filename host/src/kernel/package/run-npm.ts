import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { systemClock } from '../clock.ts'
import { killGroup } from '../kill-group.ts'
import { explainFailure, readJson } from './npm-words.ts'

export interface NpmOptions {
  /** Outside of any project, so that no strange .npmrc holds; the author's own folder where that is what is published. */
  readonly cwd: string
  readonly cache: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

// Nothing of a package is run by npm; what the registry is, npm's own settings say.
const rules = ['--ignore-scripts', '--omit=dev', '--omit=peer', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-timeout=30000']

/** How npm ended, and what it printed. */
export interface NpmEnd {
  readonly code: number | null
  readonly out: string
  readonly note: string
}

/** Runs npm without a shell and gives back what it printed as JSON. */
export async function runNpm(what: string, words: readonly string[], options: NpmOptions, start?: typeof spawn): Promise<unknown> {
  const { code, out, note } = await askNpm(words, options, start)
  if (code !== 0) throw fail('PLUGIN_FETCH', { what, detail: explainFailure(out, note) })
  return readJson(out)
}

/** Runs npm without a shell; it is for the caller to say what a failure means. */
export async function askNpm(
  words: readonly string[],
  { cwd, cache, environment, signal, timeoutMs = 120_000 }: NpmOptions,
  start = spawn,
): Promise<NpmEnd> {
  const own = ['--json', `--cache=${cache}`, ...rules, ...patience]
  // Its own words last: what follows a `--` are names.
  const child = start(process.execPath, [findNpm(environment), ...own, ...words], {
    cwd,
    // A separate group: npm starts git, and both have to end.
    detached: process.platform !== 'win32',
    env: { ...environment, NODE_OPTIONS: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const stop = (): void => killGroup(child.pid)
  let [out, note] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (note += text))
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const limit = { clock: systemClock, signal, ms: timeoutMs, what: `npm ${words[0]}` }
  const code = await withTimeLimit(limit, () => ended).catch((error: unknown) => {
    stop()
    throw error
  })
  return { code, out, note }
}

/** npm's program beside this Node, else the npm of the search path. */
export function findNpm(environment: Readonly<Record<string, string | undefined>>, bin = dirname(process.execPath)): string {
  const onPath = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  const places = [
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...onPath.map((folder) => join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')),
    ...onPath.map((folder) => join(folder, 'npm')),
  ]
  for (const place of places) {
    const file = existsSync(place) ? realpathSync(place) : ''
    if (file.endsWith('npm-cli.js')) return file
  }
  throw fail('PLUGIN_FETCH', { what: 'the package', detail: 'npm is not installed beside Node' })
}
