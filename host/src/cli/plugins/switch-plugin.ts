import { existsSync } from 'node:fs'
import { setConfigValue } from '#config/edit.ts'
import { quarantineIn } from '#store/quarantine.ts'
import type { Cli } from '../console/cli.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { openCliHome } from '../home/open-cli-home.ts'
import { withStore } from '../home/open-home-store.ts'
import { findPlugin } from './listing/find-plugin.ts'
import { printFix, printJson } from './listing/print-plugins.ts'
import { reloadGateway } from './live/reload-gateway.ts'

export interface SwitchOptions {
  readonly json?: true
}

/** Writes the one switch of a plugin, then says what that has changed. */
export async function switchPlugin(cli: Cli, word: string, to: 'on' | 'off', { json }: SwitchOptions): Promise<void> {
  const before = await openCatalog(cli)
  const { id } = findPlugin(before.catalog, word)
  // The home is made when there is none yet.
  const home = openCliHome(cli)
  const target = { home, processEnvironment: cli.environment }
  setConfigValue(target, `plugins.entries.${id}.enabled`, String(to === 'on'))
  if (to === 'on' && existsSync(home.files.state)) await withStore(cli, (store) => quarantineIn(store.kv).delete(id))
  const taken = await reloadGateway(cli, home)
  const plugin = findPlugin((await openCatalog(cli)).catalog, id)
  if (json) {
    printJson(cli, [plugin])
    return
  }
  cli.out(`${id} is ${to} (plugins.entries.${id}.enabled in ${home.files.config}).`)
  for (const line of taken) cli.out(line)
  if (to === 'off' || !plugin.reason) return
  cli.out(`It does not run yet: ${plugin.reason.text}.`)
  printFix(cli, plugin)
}
