import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { type Listed, listedOf } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { formatLine } from '#observe/format-line.ts'
import { followLog, readTail } from '#observe/read-log.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import type { Cli } from '../../console/cli.ts'
import { parseLogEntry } from './log-entry.ts'

export interface LogsOptions {
  readonly lines: string
  readonly follow?: true
  /** The lines as they are stored. */
  readonly json?: true
}

/** How far back a plugin's own lines are looked for. */
const mostLines = 50_000

/** Prints what the gateway wrote down about one plugin. */
export async function showPluginLogs(cli: Cli, word: string, options: LogsOptions): Promise<void> {
  const { home, catalog } = await openCatalog(cli)
  const plugin = findPlugin(catalog, word)
  if (!/^\d{1,5}$/.test(options.lines)) {
    throw fail('USAGE', { problem: '-n takes a whole number.', try: `agent plugins logs ${plugin.id} -n 50` })
  }
  const path = join(home.files.logs, 'gateway.log')
  if (!existsSync(path)) cli.note(`There is nothing in ${path} yet: agent gateway would write it.`)
  const show = (line: string): void => cli.out(options.json ? line : formatLine(line))
  const { lines, end } = await readTail(path, mostLines)
  const own = lines.filter((line) => isAbout(plugin, line))
  for (const line of own.slice(Math.max(0, own.length - Number(options.lines)))) show(line)
  if (!options.follow) return
  for await (const line of followLog({ path, from: end, clock: systemClock, signal: cli.signal })) if (isAbout(plugin, line)) show(line)
}

/** Whether a line names the plugin, or a platform of it. */
export function isAbout(about: Pick<Listed, 'id' | 'contributions'>, line: string): boolean {
  const { id } = about
  const entry = parseLogEntry(line)
  if (!entry) return false
  const { plugin, platform } = entry.fields
  // Several plugins of one child are named together.
  if (typeof plugin === 'string' && plugin.split(', ').includes(id)) return true
  if (listedOf({ plugins: [about] }, 'platform').some((each) => each.id === platform)) return true
  return entry.message.split(/[\s:]/, 1)[0] === id
}
