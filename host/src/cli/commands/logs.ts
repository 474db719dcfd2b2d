import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { systemClock } from '#kernel/clock.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { formatLine } from '#observe/format-line.ts'
import { followLog, readTail } from '#observe/read-log.ts'
import type { Cli } from '../console/cli.ts'
import { openCliHome } from '../home/open-cli-home.ts'

interface LogsOptions {
  readonly lines: string
  readonly follow?: true
  readonly json?: true
}

/** The logs by name, with who writes them. */
const writers: Readonly<Record<string, string>> = {
  agent: 'agent chat and the other commands',
  errors: 'every part that warns or fails',
  gateway: 'agent gateway',
  desktop: 'the desktop app',
  gui: 'the window of the desktop app',
}

export function command(cli: Cli): Command {
  return new Command('logs')
    .description('Read what the program wrote down.')
    .argument('[name]', Object.keys(writers).join(', '), 'agent')
    .option('-n, --lines <count>', 'how many of the last lines', '50')
    .option('-f, --follow', 'go on showing new lines until Ctrl-C')
    .option('--json', 'the lines as they are stored')
    .action((name: string, options: LogsOptions) => logs(cli, name, options))
}

async function logs(cli: Cli, name: string, options: LogsOptions): Promise<void> {
  const writer = Object.hasOwn(writers, name) ? writers[name] : undefined
  if (writer === undefined) {
    const names = Object.keys(writers)
    throw fail('USAGE', {
      problem: `There is no log "${name}"; there are ${names.join(', ')}.`,
      try: `agent logs ${nearestName(name, names) ?? 'agent'}`,
    })
  }
  if (!/^\d{1,6}$/.test(options.lines)) throw fail('USAGE', { problem: '-n takes a whole number.', try: `agent logs ${name} -n 50` })
  const home = openCliHome(cli, { create: false })
  const path = join(home.files.logs, `${name}.log`)
  const show = (line: string): void => cli.out(options.json ? line : formatLine(line))
  if (!existsSync(path)) cli.note(`There is nothing in ${path} yet: ${writer} would write it.`)
  const { lines, end } = await readTail(path, Number(options.lines))
  for (const line of lines) show(line)
  if (!options.follow) return
  for await (const line of followLog({ path, from: end, clock: systemClock, signal: cli.signal })) show(line)
}
