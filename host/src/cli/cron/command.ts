import { Command } from 'commander'
import { withDesk } from '#rpc/jobs/with-desk.ts'
import type { CronJob } from '#store/jobs.ts'
import type { Cli } from '../console/cli.ts'
import { type JobFlags, readScript, readWish } from './read-wish.ts'
import { addJob, editJob, listJobs, showHistory, showJob } from './work.ts'

interface Json {
  readonly json?: true
}

export function command(cli: Cli): Command {
  const cron = new Command('cron').description('Do work at a time: see, make and change jobs. The gateway runs them.')
  cron
    .command('list', { isDefault: true })
    .description('the jobs, when they are due and how the last run ended')
    .option('--json', 'as JSON')
    .action(({ json }: Json) => withDesk(cli, (desk) => listJobs(cli, desk, json === true)))
  cron
    .command('show <job>')
    .description('all about a job and its last answer')
    .option('--json', 'as JSON')
    .action((job: string, { json }: Json) => withDesk(cli, (desk) => showJob(cli, desk, job, json === true)))
  withFlags(cron.command('add <schedule> [prompt...]').alias('create'))
    .description('make a job; the same name and schedule are the same job')
    .option('--paused', 'let it wait until it is resumed')
    .action((schedule: string, words: readonly string[], flags: JobFlags) =>
      withDesk(cli, (desk) => addJob(cli, desk, { ...readWish(flags), schedule, prompt: words.join(' ') }, readScript(flags))),
    )
  withFlags(cron.command('edit <job>'))
    .description('change a job; what is not named stays')
    .option('--schedule <when>', 'another schedule')
    .option('--prompt <text>', 'ask something else')
    .action((job: string, flags: JobFlags) =>
      withDesk(cli, (desk) => editJob(cli, desk, { job, wish: readWish(flags), script: readScript(flags) })),
    )
  addActs(cli, cron)
  cron
    .command('history [job]')
    .alias('runs')
    .description('what was run, and what became of the answers')
    .option('--limit <n>', 'so many runs', '20')
    .option('--json', 'as JSON')
    .action((job: string | undefined, flags: Json & { limit: string }) =>
      withDesk(cli, (desk) => showHistory(cli, desk, { job, limit: flags.limit, json: flags.json === true })),
    )
  return cron.addHelpText('after', help)
}

function addActs(cli: Cli, cron: Command): void {
  const act = (what: 'pause' | 'resume' | 'run' | 'remove', description: string, say: (job: CronJob) => string): void => {
    cron
      .command(`${what} <job>`)
      .description(description)
      .action((job: string) => withDesk(cli, async (desk) => cli.out(say(await desk[what](job, {})))))
  }
  act('pause', 'let a job wait', ({ name }) => `The job ${name} waits until it is resumed.`)
  act('resume', 'let a job go on', ({ name }) => `The job ${name} goes on.`)
  act(
    'run',
    'run a job once, out of turn',
    ({ name }) => `The job ${name} is run as soon as a gateway sees it, within a second where one runs.`,
  )
  act('remove', 'remove a job and its history', ({ name }) => `The job ${name} is removed.`)
}

function withFlags(command: Command): Command {
  const gather = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
  return command
    .option('--name <name>', 'how it is called; the beginning of the prompt when absent')
    .option('--deliver <where>', 'local, all, PLATFORM, PLATFORM:CONVERSATION, or several with commas')
    .option('--skill <name>', 'a skill that is followed; may be given again', gather)
    .option('--context-from <job>', 'give a run the last answer of this job; may be given again', gather)
    .option('--script <file>', 'run this script, as it is now, in place of the agent; what it prints is the answer')
    .option('--toolset <id>', 'only this toolset; may be given again', gather)
    .option('--zone <zone>', 'time zone of the schedule, such as Europe/Berlin')
    .option('--missed <rule>', 'what is done about a time that was missed: run, skip, tell')
    .option('--repeat <n>', 'so many runs, then it is done')
    .option('--timeout <seconds>', 'end a run in which nothing happens for so long')
    .option('--provider <name>', 'another provider')
    .option('--model <name>', 'another model')
}

const help = `
  agent cron add "daily at 9:00" What is new in my mail?
  agent cron add "every 30m" --deliver PLATFORM:#ops Look after the server. Say [SILENT] when all is well.
  agent cron add "every 1h" --script check.sh --deliver PLATFORM
  agent cron add "in 2h" --deliver PLATFORM Remind me of the bread.
`
