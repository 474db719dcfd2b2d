import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { withTimeLimit } from '@agent/plugin-sdk'
import { ensureFolder, openHome } from '#config/home/home.ts'
import { systemClock } from '#kernel/clock.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import { maskText } from '#observe/mask.ts'
import { readTail } from '#observe/read-log.ts'
import type { HomeContext } from '../home-context.ts'

const longestMs = 60 * 60_000
/** For the way back of an update that was interrupted, which installs and builds too. */
const wayBackMs = 30 * 60_000
const mostLines = 40

/**
 * Runs `agent update` as a program beside this one, whose files it replaces, and gives its last words. An update that is interrupted
 * goes back before it ends. What it says goes to a file, so that it ends well where this process is gone. Rejects where it cannot be started.
 */
export async function runUpdate(
  { installRoot, environment, profile, signal }: Omit<HomeContext, 'note'>,
  what: 'check' | 'bring',
): Promise<string> {
  const home = openHome({ environment, profile })
  const file = join(ensureFolder(home.files.logs), 'update.log')
  const log = openSync(file, 'w', 0o600)
  const words = [...(profile === undefined ? [] : ['-p', profile]), 'update', what === 'check' ? '--check' : '--yes']
  const child = spawn(process.execPath, [...noDebugger(), join(installRoot, 'host', 'bin', 'agent.mjs'), ...words], {
    ...{ cwd: home.path, env: { ...environment }, detached: true, stdio: ['ignore', log, log] },
  })
  closeSync(log)
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve))
  const limit = { clock: systemClock, signal, ms: longestMs, graceMs: wayBackMs, what: 'The update' }
  const code = await withTimeLimit(limit, (stop) => {
    stop.addEventListener('abort', () => child.kill('SIGTERM'), { once: true })
    return ended
  })
  const { lines } = await readTail(file, mostLines)
  const said = lines.filter((line) => line.trim() !== '' && !line.endsWith(' …')).map((line) => maskText(line, []))
  if (code === 0) return said.join('\n')
  return said.at(-1)?.replace(/^agent: /, '') ?? `The update ended without a word (code ${code}).`
}
