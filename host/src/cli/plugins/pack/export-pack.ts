import { existsSync, writeFileSync } from 'node:fs'
import { parse as parsePath, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fail } from '@agent/plugin-sdk/errors'
import { readConfigFile } from '#config/file/config-file.ts'
import { formatYaml } from '#config/file/format-yaml.ts'
import { isTree, valueAt } from '#config/schema/merge.ts'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { readPluginLock } from '#kernel/installed/plugin-lock.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { hideSecrets } from '#rpc/settings/hide-secrets.ts'
import type { Cli } from '../../console/cli.ts'
import { withJsonErrors } from '../../console/json-errors.ts'
import { isClosed, type Pack, type PackedPlugin } from './pack-file.ts'

export interface ExportPackOptions {
  readonly json?: true
}

/** `agent plugins pack export`: the plugins of this home that somebody installed, switched or set up. */
export const exportPack = (cli: Cli, word: string | undefined, options: ExportPackOptions): Promise<void> =>
  withJsonErrors(cli, options, () => writePack(cli, word, options))

async function writePack(cli: Cli, word: string | undefined, { json }: ExportPackOptions): Promise<void> {
  const file = word === undefined ? undefined : newFile(cli, word)
  const { pack, left } = await gather(cli, file === undefined ? 'plugins' : parsePath(file).name)
  for (const line of left) cli.note(line)
  if (pack.plugins.length === 0) throw misused('Nothing that others could install is installed or set up here.', 'agent plugins list')
  const text = formatYaml(pack)
  if (file !== undefined) writeFileSync(file, text, { flag: 'wx' })
  if (json) cli.json({ pack, file: file ?? null, left })
  else cli.write(file === undefined ? text : `${file} is written. Read it before you give it away.\n`)
}

function newFile(cli: Cli, word: string): string {
  const file = resolve(cli.cwd, word)
  if (existsSync(file)) throw misused(`${file} is there already.`, 'agent plugins pack export OTHER.yaml')
  return file
}

const misused = (problem: string, example: string): Error => fail('USAGE', { problem, try: example })

async function gather(cli: Cli, name: string): Promise<{ readonly pack: Pack; readonly left: readonly string[] }> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const stored = readConfigFile(home.files.config).value
  const { plugins: locked } = readPluginLock(home.files.pluginsLock)
  const secrets = loaded.environment.secrets()
  const plugins: PackedPlugin[] = []
  const left: string[] = []
  for (const plugin of catalog.plugins) {
    const entry = valueAt(stored, ['plugins', 'entries', plugin.id])
    if (plugin.source === 'bundled' && !isTree(entry)) continue
    const spec = locked.get(plugin.id)?.spec
    const why = whyAlone(plugin, spec)
    if (why !== undefined) {
      left.push(`${plugin.id} is left out: ${why}.`)
      continue
    }
    const packed = { id: plugin.id, ...(plugin.source === 'installed' ? { install: spec } : {}), ...readEntry(entry, secrets) }
    if (Object.keys(packed).length > 1) plugins.push(packed)
    for (const key of packed.asks ?? [])
      left.push(`plugins.entries.${plugin.id}.config.${key} is left out: it is a secret or names a variable.`)
  }
  return { pack: { format: 1, name, plugins }, left }
}

/** What keeps others from having it. */
function whyAlone({ source }: Listed, spec: string | undefined): string | undefined {
  if (source === 'bundled') return undefined
  if (source !== 'installed' || spec === undefined) return 'it is a folder of this machine'
  return /^(?:file:|git\+file:)/.test(spec) ? 'it was installed from a file of this machine' : undefined
}

function readEntry(entry: unknown, secrets: readonly string[]): Pick<PackedPlugin, 'enabled' | 'config' | 'asks'> {
  if (!isTree(entry)) return {}
  const { enabled, config } = entry
  const settings = isTree(config) ? Object.entries(config) : []
  const isSecret = ([key, value]: readonly [string, unknown]): boolean =>
    isClosed(value, key) || !isDeepStrictEqual(hideSecrets(value, key, secrets), value)
  const open = settings.filter((setting) => !isSecret(setting))
  const asks = settings.filter(isSecret).map(([key]) => key)
  return {
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    ...(open.length === 0 ? {} : { config: Object.fromEntries(open) }),
    ...(asks.length === 0 ? {} : { asks }),
  }
}
