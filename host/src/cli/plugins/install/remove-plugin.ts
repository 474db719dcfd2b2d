import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { unsetConfigValue } from '#config/edit.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import type { Cli } from '../../console/cli.ts'
import { isLink } from './link-plugin.ts'
import type { PluginHome } from './plugin-home.ts'

export interface Removed {
  readonly id: string
  /** Folder with what the plugin stored; undefined where there is none, or none any more. */
  readonly data: string | undefined
}

/** Takes a plugin away: its versions, its entry in the lock, its settings, and its data when that is wished. */
export async function removePlugin(cli: Cli, plugins: PluginHome, word: string, options: { readonly data?: true }): Promise<Removed> {
  const { catalog, home } = await openCatalog(cli)
  const id = plugins.lock.has(word) || plugins.broken.has(word) ? word : findPlugin(catalog, word).id
  const link = join(home.files.pluginsLocal, id)
  const found = catalog.plugin(id)
  if (plugins.lock.has(id) || plugins.broken.has(id)) plugins.write(id, undefined)
  else if (isLink(link)) rmSync(link)
  else if (found?.source === 'bundled')
    throw fail('USAGE', { problem: `${id} came with agent and stays.`, try: `agent plugins disable ${id}` })
  else throw fail('USAGE', { problem: `${id} was put there by hand.`, try: `rm -r '${found?.root}'` })
  const configured = existsSync(home.files.config)
  if (configured) unsetConfigValue({ home, processEnvironment: cli.environment }, `plugins.entries.${id}`)
  const data = join(dirname(home.files.pluginsLocal), 'data', id)
  if (options.data) removeData(data)
  return { id, data: existsSync(data) ? data : undefined }
}

function removeData(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  try {
    rmdirSync(dirname(folder))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // Other plugins keep theirs there, or nobody ever did.
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error
  }
}
