import { execFile } from 'node:child_process'
import { fail } from '@agent/plugin-sdk/errors'
import type { Cli } from '../console/cli.ts'

/** Longer than a unit may take to stop. */
const limitMs = 120_000

/** Says why the user's own systemd does not answer; undefined when it does. It has read the units again then. */
export async function probeSystemd(cli: Cli): Promise<string | undefined> {
  return run(cli, ['daemon-reload'])
}

/** Gives one order to the user's systemd, which has to obey. */
export async function systemctl(cli: Cli, ...words: readonly string[]): Promise<void> {
  const problem = await run(cli, words)
  if (problem !== undefined) throw fail('PLUGIN_FAILED', { plugin: 'systemd', during: words.join(' '), detail: problem })
}

function run({ environment, signal }: Cli, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...environment }, signal, timeout: limitMs, encoding: 'utf8' } as const
    execFile('systemctl', ['--user', ...words], options, (error, _out, said) => {
      if (signal.aborted) return reject(fail('INTERRUPTED'))
      if (!error) return resolve(undefined)
      const problem = error.code === 'ENOENT' ? 'there is no systemctl' : said.trim() || error.message
      resolve(problem.replace(/\s+/g, ' ').replace(/\.$/, ''))
    })
  })
}
