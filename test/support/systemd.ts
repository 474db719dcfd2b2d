import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { missingProgram } from './needs.ts'

const program = '/usr/bin/systemd-analyze'

/** How to get systemd where it is missing; undefined where it is there, or where a missing one has to fail the run. */
export const systemdMissing: string | undefined = missingProgram(program, 'systemd')

/** What the real systemd has to say against a user unit; empty when nothing. */
export function verifyUnit(file: string): { readonly complaints: string; readonly banner: string } {
  const banner = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 5000 }).split('\n')[0] ?? ''
  const runtime = join(dirname(file), 'run')
  mkdirSync(runtime, { recursive: true })
  const { status, stderr } = spawnSync(program, ['verify', '--user', '--man=no', '--recursive-errors=no', file], {
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: process.env.PATH, HOME: dirname(file), XDG_RUNTIME_DIR: runtime },
  })
  return { complaints: status === 0 ? stderr : `${stderr}(code ${status})`, banner }
}
