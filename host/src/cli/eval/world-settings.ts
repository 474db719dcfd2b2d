import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readYaml } from '#config/file/read-yaml.ts'
import { openHome } from '#config/home/home.ts'
import { listHomes } from '#config/home/profiles.ts'
import { loadConfig, requireSound } from '#config/load.ts'
import { readText } from '#kernel/read-text.ts'
import type { Cli } from '../console/cli.ts'

const mostBytes = 256 * 1024

/** What the home of a conversation has of the home that it is tried from. */
export interface WorldSettings {
  readonly config: Readonly<Record<string, unknown>>
  /** The text of its `.env`. */
  readonly variables: string | undefined
  /** Homes of the person, of which nothing is shown to the conversation. */
  readonly homes: readonly string[]
  /** What is shared, by paths. */
  readonly links: readonly { readonly from: string; readonly to: string }[]
}

/** Settings that decide who answers, and what a plugin does; not who may write, what is remembered, or which servers run. */
const kept = [
  ...['_config_version', 'model', 'fallback_model', 'fallback_providers', 'credential_pool_strategies', 'models', 'prices', 'budgets'],
  ...['agent', 'auxiliary', 'delegation', 'compression', 'context', 'plugins', 'tools', 'web', 'image', 'terminal', 'security'],
]
const links = ['auth.json', 'plugins/local', 'plugins/store', 'plugins/plugins.lock.json', 'cache/model-catalog.json']

export interface FoundSettings {
  readonly settings: WorldSettings
  readonly cache: string
  /** By what runs are told apart. */
  readonly chosenModel: string
}

/** Reads the home of the person, whose models and plugins are tried. */
export async function readWorldSettings(
  cli: Pick<Cli, 'environment' | 'profile'>,
  { provider, model }: { readonly provider?: string; readonly model?: string },
): Promise<FoundSettings> {
  const home = openHome(cli)
  const loaded = await loadConfig(home, cli.environment)
  requireSound(loaded)
  const read = readYaml(readText(home.files.config, { mostBytes }) ?? '')
  const value = (read.ok && typeof read.value === 'object' && read.value !== null ? read.value : {}) as Readonly<Record<string, unknown>>
  return {
    settings: {
      config: {
        ...Object.fromEntries(Object.entries(value).filter(([key]) => kept.includes(key))),
        // What never runs does not run here either.
        approvals: { deny: loaded.config.approvals.deny },
      },
      homes: listHomes(home, cli.environment),
      variables: readText(home.files.env, { mostBytes }),
      links: links.map((to) => ({ from: join(home.path, to), to })).filter(({ from }) => existsSync(from)),
    },
    cache: home.files.cache,
    chosenModel: `${provider ?? loaded.config.model.provider}/${model ?? loaded.config.model.default}`,
  }
}
