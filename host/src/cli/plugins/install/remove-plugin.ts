import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { unsetConfigValue } from '#config/edit.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import type { Cli } from '../../console/cli.ts'
import { findTraces, type Trace } from './find-traces.ts'
import { isLink } from './link-plugin.ts'
import type { PluginHome } from './plugin-home.ts'

export interface Removed {
  readonly id: string
  /** What of it lies outside of its files, and stays until it is removed. */
  readonly traces: readonly Trace[]
}

/** Takes a plugin away: its versions, its entry in the lock and its settings. Answers what else there is of it. */
export async function removePlugin(cli: Cli, plugins: PluginHome, word: string): Promise<Removed> {
  const { catalog, home } = await openCatalog(cli)
  const id = plugins.lock.has(word) || plugins.broken.has(word) ? word : findPlugin(catalog, word).id
  const link = join(home.files.pluginsLocal, id)
  const found = catalog.plugin(id)
  // Where a link stands in for a plugin, what there is belongs to that one, which comes back.
  const traces = found?.shadows === undefined ? await findTraces(cli, home, catalog, id) : []
  if (plugins.lock.has(id) || plugins.broken.has(id)) plugins.write(id, undefined)
  else if (isLink(link)) rmSync(link)
  else if (found?.source === 'bundled')
    throw fail('USAGE', { problem: `${id} came with agent and stays.`, try: `agent plugins disable ${id}` })
  else throw fail('USAGE', { problem: `${id} was put there by hand.`, try: `rm -r '${found?.root}'` })
  const configured = existsSync(home.files.config)
  if (configured) unsetConfigValue({ home, processEnvironment: cli.environment }, `plugins.entries.${id}`)
  return { id, traces }
}
