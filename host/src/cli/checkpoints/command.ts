import { resolve } from 'node:path'
import { Command } from 'commander'
import { makeCheckpoints } from '#agent/make-checkpoints.ts'
import type { Checkpoints } from '#checkpoints/checkpoints.ts'
import { describeCheckpoint, formatRolledBack, readNumber } from '#commands/answers/answer-rollback.ts'
import { formatMinute } from '#commands/answers/format-minute.ts'
import { openHome } from '#config/home/home.ts'
import { loadConfig, requireSound } from '#config/load.ts'
import { systemClock } from '#kernel/clock.ts'
import { printable } from '#observe/printable.ts'
import { silentLog } from '#observe/silent-log.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { confirm } from '../console/confirm.ts'

interface FolderOption {
  readonly folder?: string
}

const folderOption = ['--folder <path>', 'of this folder, and not of the one that you are in'] as const

export function command(cli: Cli): Command {
  const checkpoints = new Command('checkpoints').description('See the checkpoints of a folder, and go back to one.')
  checkpoints
    .command('list', { isDefault: true })
    .description('the checkpoints of this folder, the newest first')
    .option(...folderOption)
    .option('--json', 'as JSON')
    .action((options: FolderOption & { json?: true }) => list(cli, options))
  checkpoints
    .command('diff <number>')
    .description('what has changed since, as a patch')
    .option(...folderOption)
    .action((number: string, options: FolderOption) => diff(cli, number, options))
  checkpoints
    .command('restore <number>')
    .description('go back to how everything was')
    .option(...folderOption)
    .option('--file <path>', 'only this file, as it lies below the folder')
    .option('--all', 'also what was edited without the agent since')
    .action((number: string, options: RestoreOptions) => restore(cli, number, options))
  checkpoints
    .command('prune')
    .description('forget what is too old or too much, of all folders')
    .action(() => prune(cli))
  checkpoints
    .command('clear')
    .description('forget all checkpoints of this folder; its files stay as they are')
    .option(...folderOption)
    .option('--yes', 'without asking')
    .action((options: FolderOption & { yes?: true }) => clear(cli, options))
  return checkpoints
}

interface RestoreOptions extends FolderOption {
  readonly file?: string
  readonly all?: true
}

/** Only settings and files: no plugin is looked at. */
async function withCheckpoints<T>(cli: Cli, { folder }: FolderOption, work: (checkpoints: Checkpoints) => Promise<T>): Promise<T> {
  const home = openHome(cli)
  const loaded = await loadConfig(home, cli.environment, {})
  requireSound(loaded)
  const checkpoints = makeCheckpoints({
    ...{ home, loaded, clock: systemClock, log: silentLog },
    options: { environment: cli.environment, workspace: resolve(cli.cwd, folder ?? '.') },
  })
  try {
    return await work(checkpoints)
  } finally {
    await checkpoints.close()
  }
}

async function list(cli: Cli, options: FolderOption & { json?: true }): Promise<void> {
  await withCheckpoints(cli, options, async (checkpoints) => {
    const { workspace } = checkpoints
    const found = await checkpoints.list(workspace, cli.signal)
    if (options.json) return cli.json({ folder: workspace, checkpoints: found })
    if (found.length > 0)
      return cli.out(
        formatTable(found.map((each) => [paint(cli, 'cyan', `${each.number}`), formatMinute(each.at), describeCheckpoint(each)])),
      )
    cli.out(printable(`There are no checkpoints of ${workspace}.`))
    const others = checkpoints.folders()
    if (others.length > 0) cli.out(['There are some of:', ...others.map((folder) => `  ${printable(folder)}`)].join('\n'))
    else if (!checkpoints.enabled()) cli.out('agent config set checkpoints.enabled true makes the agent keep them.')
  })
}

async function diff(cli: Cli, word: string, options: FolderOption): Promise<void> {
  const number = readNumber(word, 'agent checkpoints list')
  const text = await withCheckpoints(cli, options, (checkpoints) => checkpoints.diff(checkpoints.workspace, number, cli.signal))
  cli.out(text === '' ? `Nothing has changed since checkpoint ${number}.` : text.trimEnd().split('\n').map(printable).join('\n'))
}

async function restore(cli: Cli, word: string, options: RestoreOptions): Promise<void> {
  const number = readNumber(word, 'agent checkpoints list')
  const { file: path, all } = options
  const again = `agent checkpoints restore ${number} --all`
  const wish = { number, path, all: all === true || path !== undefined, session: '', again }
  const done = await withCheckpoints(cli, options, (checkpoints) => checkpoints.restore(checkpoints.workspace, wish, cli.signal))
  cli.out(formatRolledBack(done, 'agent checkpoints restore').split('\n').map(printable).join('\n'))
}

async function prune(cli: Cli): Promise<void> {
  const gone = await withCheckpoints(cli, {}, (checkpoints) => checkpoints.prune(cli.signal))
  cli.out(gone === 0 ? 'No checkpoint is too old or too much.' : `${gone} ${gone === 1 ? 'checkpoint is' : 'checkpoints are'} forgotten.`)
}

async function clear(cli: Cli, options: FolderOption & { yes?: true }): Promise<void> {
  await withCheckpoints(cli, options, async (checkpoints) => {
    const { workspace } = checkpoints
    const [found, bytes] = [await checkpoints.list(workspace, cli.signal), await checkpoints.size(workspace, cli.signal)]
    const what = `${countCheckpoints(found.length)} of ${workspace} (${(Math.ceil((bytes * 10) / 1024 / 1024) / 10).toFixed(1)} MB)`
    if (options.yes !== true && !(await confirm(cli, `Forget ${what}? Nothing of it can be taken back any more.`)))
      return cli.out('Nothing was changed.')
    await checkpoints.clear(workspace, cli.signal)
    cli.out(printable(`${what} forgotten. The files of the folder are as they were.`))
  })
}

const countCheckpoints = (count: number): string => `${count} ${count === 1 ? 'checkpoint' : 'checkpoints'}`
