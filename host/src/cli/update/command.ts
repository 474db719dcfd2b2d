import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { openEnvironment } from '#config/environment/environment.ts'
import { openHome } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import { loadConfig, requireSound } from '#config/load.ts'
import type { Config } from '#config/schema/schema.ts'
import { findUpdateObstacle } from '#config/update-obstacle.ts'
import { readVersion } from '#config/version.ts'
import { findDashboard } from '#dashboard/instance.ts'
import { identifyProcess } from '#gateway/process/process-identity.ts'
import { takeLock } from '#gateway/process/process-lock.ts'
import { printable } from '#observe/printable.ts'
import { nativeBinding } from '#store/native.ts'
import type { Cli } from '../console/cli.ts'
import { confirm } from '../console/confirm.ts'
import { backUpHome } from './back-up-home.ts'
import { impossible, openCheckout, type Standing } from './checkout.ts'
import { update } from './update.ts'

interface UpdateFlags {
  readonly check?: true
  readonly yes?: true
  readonly backup: boolean
  readonly json?: true
}

const shownChanges = 10

export function command(cli: Cli): Command {
  return new Command('update')
    .description('Bring the program to the newest version of the branch that it came from.')
    .option('--check', 'only say what is new')
    .option('--yes', 'ask nothing; changes of the program go where updates.non_interactive_local_changes says')
    .option('--no-backup', 'without the backup that updates.pre_update_backup asks for')
    .option('--json', 'with --check, as JSON')
    .action((flags: UpdateFlags) => run(cli, flags))
}

async function run(cli: Cli, flags: UpdateFlags): Promise<void> {
  const obstacle = findUpdateObstacle(cli.installRoot)
  if (obstacle) throw impossible(obstacle.problem, obstacle.next)
  const home = openHome(cli)
  const loaded = await loadConfig(home, cli.environment, {})
  requireSound(loaded)
  const programs = { cwd: cli.installRoot, environment: openEnvironment(cli.environment).forChildren(), signal: cli.signal }
  const release = takeLock(join(cli.installRoot, '.update.lock'), identifyProcess(process.pid), (holder) =>
    impossible(`Process ${holder.pid} updates the program already`, 'Wait for it.'),
  )
  try {
    cli.note('Asking the server …')
    const standing = await openCheckout(programs).look()
    if (flags.check) return tellStanding(cli, standing, flags)
    if (standing.incoming.length === 0) return cli.out(upToDate(cli, standing))
    if (standing.own > 0)
      throw impossible(
        `The branch ${standing.branch} has ${count(standing.own, 'commit')} that the server does not have`,
        `Join them with git rebase @{upstream} in ${cli.installRoot}.`,
      )
    const keepEdits = await decide(cli, standing, flags, loaded.config.updates)
    if (keepEdits === undefined) return cli.out('Nothing was changed.')
    const { pre_update_backup: extent, backup_keep: keep } = loaded.config.updates
    if (flags.backup && extent !== 'off') {
      const binding = nativeBinding({ folder: loaded.environment.get('AGENT_NATIVE_CACHE') })
      cli.out(`The home was copied to ${printable(await backUpHome({ home, extent, keep, now: new Date(), binding }))}.`)
    }
    const before = readVersion(cli.installRoot)
    const fate = await update({ standing, run: programs, tell: (line) => cli.note(line) }, keepEdits)
    const after = readVersion(cli.installRoot)
    const way = before === after ? [standing.head.slice(0, 8), standing.target.slice(0, 8)] : [before, after]
    cli.out(`agent is updated: ${count(standing.incoming.length, 'change')}, ${way.join(' → ')}.`)
    if (fate === 'kept')
      cli.out(
        `${keepEdits ? 'The changes of this machine no longer fit' : 'The changes of this machine were left out'}; git stash show -p shows them.`,
      )
    if (existsSync(home.files.gatewayPid)) cli.out('agent gateway restart lets the gateway run on it.')
    if (findDashboard(openHome({ ...cli, profile: defaultProfile })))
      cli.out('The dashboard runs on it from its next start: agent dashboard --stop ends the one that runs.')
  } finally {
    release()
  }
}

function tellStanding(cli: Cli, standing: Standing, { json }: UpdateFlags): void {
  const { branch, head, target, incoming, own, edited } = standing
  if (json) cli.json({ version: readVersion(cli.installRoot), branch, head, target, incoming, own, edited })
  else if (incoming.length === 0) cli.out(upToDate(cli, standing))
  else {
    const more = incoming.length > shownChanges ? [`  and ${incoming.length - shownChanges} more`] : []
    const lines = incoming.slice(0, shownChanges).map((line) => `  ${printable(line)}`)
    cli.out([`${count(incoming.length, 'change')} on ${branch}:`, ...lines, ...more, 'agent update brings them.'].join('\n'))
  }
}

/** Whether changes of this machine come back after the update; undefined where the person does not want it. */
async function decide(cli: Cli, standing: Standing, flags: UpdateFlags, updates: Config['updates']): Promise<boolean | undefined> {
  const { edited, incoming, branch } = standing
  if (flags.yes) return updates.non_interactive_local_changes === 'stash'
  const [first = ''] = edited
  const more = edited.length > 1 ? ` and ${edited.length - 1} more` : ''
  const changed = first === '' ? '' : ` ${printable(first)}${more} was changed here; that is put aside and brought back.`
  return (await confirm(cli, `Bring ${count(incoming.length, 'change')} of ${branch}?${changed}`)) ? true : undefined
}

function upToDate({ installRoot }: Cli, { branch, head }: Standing): string {
  return `agent ${readVersion(installRoot)} is up to date (${branch}, ${head.slice(0, 8)}).`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
