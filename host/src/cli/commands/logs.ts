import { existsSync } from 'node:fs'
import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { systemClock } from '#kernel/clock.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { formatLine } from '#observe/format-line.ts'
import { followLog, readTail } from '#observe/read-log.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { isHomeLog, logWriters, pathOfLog } from '#rpc/logs/home-logs.ts'
import type { Cli } from '../console/cli.ts'

interface LogsOptions {
  readonly lines: string
  readonly follow?: true
  readonly json?: true
}

export function command(cli: Cli): Command {
  return new Command('logs')
    .description('Read what the program wrote down.')
    .argument('[name]', Object.keys(logWriters).join(', '), 'agent')
    .option('-n, --lines <count>', 'how many of the last lines', '50')
    .option('-f, --follow', 'go on showing new lines until Ctrl-C')
    .option('--json', 'the lines as they are stored')
    .action((name: string, options: LogsOptions) => logs(cli, name, options))
}

async function logs(cli: Cli, name: string, options: LogsOptions): Promise<void> {
  if (!isHomeLog(name)) {
    const names = Object.keys(logWriters)
    throw fail('USAGE', {
      problem: `There is no log "${name}"; there are ${names.join(', ')}.`,
      try: `agent logs ${nearestName(name, names) ?? 'agent'}`,
    })
  }
  if (!/^\d{1,6}$/.test(options.lines)) throw fail('USAGE', { problem: '-n takes a whole number.', try: `agent logs ${name} -n 50` })
  const home = openHomeOf(cli, { create: false })
  const path = pathOfLog(home.files, name)
  const show = (line: string): void => cli.out(options.json ? line : formatLine(line))
  if (!existsSync(path)) cli.note(`There is nothing in ${path} yet: ${logWriters[name]} would write it.`)
  const { lines, end } = await readTail(path, Number(options.lines))
  for (const line of lines) show(line)
  if (!options.follow) return
  for await (const line of followLog({ path, from: end, clock: systemClock, signal: cli.signal })) show(line)
}
