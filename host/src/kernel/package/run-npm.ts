import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { systemClock } from '../clock.ts'
import { killGroup } from '../kill-group.ts'

export interface NpmOptions {
  /** Outside of any project, so that no strange .npmrc holds. */
  readonly cwd: string
  readonly cache: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

// Nothing of a package is run by npm; what the registry is, npm's own settings say.
const rules = ['--ignore-scripts', '--omit=dev', '--omit=peer', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-timeout=30000']

/** Runs npm without a shell and gives back what it printed as JSON. */
export async function runNpm(
  what: string,
  words: readonly string[],
  { cwd, cache, environment, signal, timeoutMs = 120_000 }: NpmOptions,
): Promise<unknown> {
  const own = ['--json', `--cache=${cache}`, ...rules, ...patience]
  // Its own words last: what follows a `--` are names.
  const child = spawn(process.execPath, [findNpm(environment), ...own, ...words], {
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
  if (code !== 0) throw fail('PLUGIN_FETCH', { what, detail: explain(out, note) })
  return readJson(out)
}

const unreachable = 'the registry cannot be reached; look at the network and at npm config get registry'

/** What npm means by its codes, for people who do not write packages. */
const plainWords: Readonly<Record<string, string>> = {
  E404: 'the registry has no such package',
  ETARGET: 'the registry has no version of it that fits',
  E401: 'the registry wants a login (npm login)',
  E403: 'the registry does not give it to you',
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  FETCH_ERROR: unreachable,
  EINVALIDPACKAGENAME: 'no package can have this name',
  EINVALIDTAGNAME: 'what stands behind the @ is neither a version nor a tag',
}

function explain(out: string, note: string): string {
  const { error } = (readJson(out) ?? {}) as { readonly error?: { readonly code?: string; readonly summary?: string } }
  const summary = error?.summary ?? ''
  const [, name] = / - GET https?:\/\/[^/]+\/([^\s]+?)\.?(?:\s|$)/.exec(summary) ?? []
  const isVersion = /^No match(?:ing version)? found/.test(summary)
  const known = plainWords[isVersion ? 'ETARGET' : (error?.code ?? '')]
  if (known !== undefined) return name === undefined ? known : `${known} (${decodeURIComponent(name)})`
  const lines = note.split('\n').filter((line) => line.startsWith('npm error') && !/A complete log|code E/.test(line))
  const text = summary || lines.map((line) => line.replace(/^npm error ?/, '')).join(' ') || 'npm gave no reason'
  // The first sentence says it; the rest is advice for people who write packages.
  return `${error?.code ? `${error.code}: ` : ''}${text.trim().split('\n')[0]}`
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // npm prints nothing at all when it fails early.
    return undefined
  }
}

/** npm's program beside this Node, else the npm of the search path. */
export function findNpm(environment: Readonly<Record<string, string | undefined>>): string {
  const bin = dirname(process.execPath)
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
