import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unsetConfigValue } from '#config/edit.ts'
import { parseEnvFile, writeEnvValues } from '#config/environment/env-file.ts'
import { readConfigFile } from '#config/file/config-file.ts'
import type { Home } from '#config/home/home.ts'
import type { Catalog, Listed } from '#kernel/catalog/catalog.ts'
import { listedOf } from '#kernel/catalog/catalog.ts'
import type { Cli } from '../../console/cli.ts'

/** Something of a plugin that lies outside of its files, and how it is taken away. */
export interface Trace {
  /** What it is and where, as people read it. */
  readonly text: string
  remove(): Promise<void>
}

/** What a plugin has left in its home, read while its manifest is still there. What another plugin has too is not its. */
export async function findTraces(cli: Cli, home: Home, catalog: Catalog, id: string): Promise<readonly Trace[]> {
  const plugin = catalog.plugin(id)
  const others = catalog.plugins.filter((one) => one.id !== id)
  const platforms = listIds(plugin ? [plugin] : []).filter((name) => !listIds(others).includes(name))
  return [
    ...findFolder(join(home.files.pluginsData, id)),
    ...(await findStored(cli, home, id, platforms)),
    ...findSettings(cli, home, platforms),
    ...findSecrets(home, plugin, others),
  ]
}

const listIds = (plugins: readonly Listed[]): readonly string[] => listedOf({ plugins }, 'platform').map((one) => one.id)

function findFolder(folder: string): readonly Trace[] {
  if (!existsSync(folder)) return []
  const remove = async (): Promise<void> => {
    rmSync(folder, { recursive: true, force: true })
    for (const above of [dirname(folder), dirname(dirname(folder))]) removeEmpty(above)
  }
  return [{ text: folder, remove }]
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // Other plugins keep theirs there.
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error
  }
}

async function findStored(cli: Cli, home: Home, id: string, platforms: readonly string[]): Promise<readonly Trace[]> {
  if (!existsSync(home.files.state)) return []
  const [{ withStore }, { findKept }] = await Promise.all([import('#rpc/home/open-home-store.ts'), import('#gateway/kept-of-plugin.ts')])
  const kept = await withStore(cli, (store) => findKept(store.kv, id, platforms))
  return kept.map(({ text, forget }) => ({
    text: `${text} in ${home.files.state}`,
    remove: () => withStore(cli, (store) => forget(store.kv)),
  }))
}

function findSettings(cli: Cli, home: Home, platforms: readonly string[]): readonly Trace[] {
  const file = home.files.config
  if (!existsSync(file)) return []
  const target = { home, processEnvironment: cli.environment }
  const { document } = readConfigFile(file)
  return platforms
    .filter((name) => document.hasIn(['platforms', name]))
    .map((name) => ({
      text: `platforms.${name} in ${file}`,
      remove: async () => void unsetConfigValue(target, `platforms.${name}`),
    }))
}

function findSecrets({ files }: Home, plugin: Listed | undefined, others: readonly Listed[]): readonly Trace[] {
  if (!existsSync(files.env)) return []
  const namesOf = (one: Listed | undefined): readonly string[] => one?.installed?.manifest.env.map(({ name }) => name) ?? []
  const shared = new Set(others.flatMap(namesOf))
  const { values } = parseEnvFile(readFileSync(files.env, 'utf8'))
  return namesOf(plugin)
    .filter((name) => values[name] !== undefined && !shared.has(name))
    .map((name) => ({ text: `${name} in ${files.env}`, remove: async () => writeEnvValues(files.env, { [name]: undefined }) }))
}
