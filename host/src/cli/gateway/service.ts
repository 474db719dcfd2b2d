import { existsSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { openEnvironment } from '#config/environment/environment.ts'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { type Home, openHome } from '#config/home/home.ts'
import { noteWanted } from '#gateway/instance/instance.ts'
import { systemClock } from '#kernel/clock.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../console/cli.ts'
import { formatUnit, homeLine, nameUnit } from './service-unit.ts'
import { probeSystemd, systemctl } from './systemctl.ts'

export interface InstallServiceOptions {
  readonly print?: true
  readonly json?: true
}

interface Service {
  readonly unit: string
  readonly file: string
  /** What stands in the file now. */
  readonly found: string | undefined
  /** It is there and belongs to something else. */
  readonly foreign: boolean
}

/** Makes a service of the user's systemd that keeps the gateway of this home running. */
export async function installService(cli: Cli, options: InstallServiceOptions): Promise<void> {
  const home = openHomeOf(cli, { create: false })
  const program = join(cli.installRoot, 'host', 'bin', 'agent.mjs')
  const path = openEnvironment(cli.environment).get('PATH')
  const text = formatUnit({ home, node: process.execPath, program, path })
  if (options.print) return cli.write(text)
  const { unit, file, found } = findOwnService(cli, home)
  const changed = found !== text
  if (changed) writeFileAtomic(file, text)
  const problem = await probeSystemd(cli)
  if (problem === undefined) await systemctl(cli, 'enable', unit)
  const next = problem === undefined ? [] : ['systemctl --user daemon-reload', `systemctl --user enable --now ${unit}`]
  if (options.json) return cli.json({ unit, file, home: home.path, changed, enabled: problem === undefined, next })
  cli.out(`The service ${unit} ${describeChange(found, changed)}: ${file}`)
  if (problem === undefined) {
    cli.out('It starts when you log in, and again when it fails. Start it now: agent gateway start')
    cli.out('To have it without a login too: loginctl enable-linger')
  } else cli.out([`Your systemd does not answer here: ${problem}. Where it does, run:`, ...next].join('\n  '))
}

/** Ends the service of this home and takes it away. */
export async function uninstallService(cli: Cli, options: { readonly json?: true }): Promise<void> {
  const home = openHomeOf(cli, { create: false })
  const { unit, file, found } = findOwnService(cli, home)
  const removed = found !== undefined
  let problem: string | undefined
  if (removed) {
    problem = await probeSystemd(cli)
    if (problem === undefined) await systemctl(cli, 'disable', '--now', unit)
    else rmSync(join(unitFolder(cli), 'default.target.wants', unit), { force: true })
    rmSync(file, { force: true })
    if (problem === undefined) await systemctl(cli, 'daemon-reload')
  }
  if (options.json) return cli.json({ unit, file, home: home.path, removed, stopped: removed && problem === undefined })
  if (!removed) return cli.out(`No service is installed for ${home.path}.`)
  cli.out(`The service ${unit} is ${problem === undefined ? 'stopped and removed' : 'removed'}: ${file}`)
  if (problem !== undefined) cli.out(`Your systemd does not answer here, so nothing was stopped: ${problem}.`)
}

/** Starts the gateway as its service; false where none is installed or no systemd answers. */
export async function startService(cli: Cli, home: Home): Promise<boolean> {
  const { unit, found, foreign } = findService(cli, home)
  if (found === undefined || foreign || (await probeSystemd(cli)) !== undefined) return false
  noteWanted(home, systemClock)
  await systemctl(cli, 'start', unit)
  return true
}

/** Nothing is made for a look. */
function findService(cli: Cli, home: Home): Service {
  const usual = openHome({ environment: { ...cli.environment, AGENT_HOME: undefined }, profile: 'default', create: false })
  const unit = nameUnit(home, usual.root)
  const file = join(unitFolder(cli), unit)
  const found = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  return { unit, file, found, foreign: found !== undefined && !found.split('\n').includes(homeLine(home)) }
}

/** A unit of another home, or one that a person wrote, is never changed. */
function findOwnService(cli: Cli, home: Home): Service {
  const service = findService(cli, home)
  if (!service.foreign) return service
  const problem = `${service.file} is not the service of ${home.path}, so it is left alone.`
  throw fail('USAGE', { problem, try: 'the same again after moving it away' })
}

/** The folder that every user's systemd reads, whatever a shell says. */
function unitFolder({ environment }: Cli): string {
  return join(openEnvironment(environment).get('HOME') ?? homedir(), '.config', 'systemd', 'user')
}

function describeChange(found: string | undefined, changed: boolean): string {
  if (found === undefined) return 'is installed'
  return changed ? 'is rewritten' : 'is installed already'
}
