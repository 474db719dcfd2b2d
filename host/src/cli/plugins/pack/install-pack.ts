import { resolve } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { describePlugin } from '#rpc/plugins/describe-plugin.ts'
import { describeFix } from '#rpc/plugins/explain-plugin.ts'
import { planValues } from '#rpc/settings/change-values.ts'
import type { Cli } from '../../console/cli.ts'
import { withJsonErrors } from '../../console/json-errors.ts'
import { askYes } from '../install/ask-yes.ts'
import { installPlugin } from '../install/install-plugin.ts'
import { openPluginHome } from '../install/plugin-home.ts'
import { describeOutcome } from '../install/run-install.ts'
import { tellGateway } from '../install/tell-gateway.ts'
import { hashPack, type Pack, readPack } from './pack-file.ts'
import { formatPlan, type PackPlan, planPack } from './plan-pack.ts'

export interface InstallPackOptions {
  readonly accept?: readonly string[]
  readonly json?: true
}

/** `agent plugins pack install <file>`: asks about the list, installs package by package, then sets what is not set here. */
export async function installPack(cli: Cli, word: string, options: InstallPackOptions): Promise<void> {
  await withJsonErrors(cli, options, async () => {
    const file = resolve(cli.cwd, word)
    const pack = readPack(file)
    const plan = planPack(pack, file, await openCatalog(cli))
    const isChange = plan.installs.length + Object.keys(plan.sets).length > 0
    if (isChange) await agree(cli, pack, plan, options)
    await installAll(cli, plan, options)
    const said = await setAll(cli, plan)
    if (isChange) await tellGateway(cli, openHomeOf(cli))
    const { catalog } = await openCatalog(cli)
    const rows = pack.plugins.flatMap(({ id }) => catalog.plugin(id) ?? [])
    if (options.json)
      return cli.json({
        pack: pack.name,
        plugins: rows.map(describePlugin),
        set: Object.keys(plan.sets),
        kept: plan.keeps,
        asks: plan.asks,
      })
    if (!isChange) cli.out(`Everything that the list "${pack.name}" names is here.`)
    for (const line of [...said, ...describeRest(plan), ...describeStill(pack, rows)]) cli.out(line)
  })
}

async function agree(cli: Cli, pack: Pack, plan: PackPlan, { accept, json }: InstallPackOptions): Promise<void> {
  const hash = hashPack(pack)
  if (accept?.includes(hash)) return
  const text = formatPlan(pack, plan)
  const about = `the list "${pack.name}"`
  if (json) cli.json({ consent: { pack: pack.name, hash, text } })
  else cli.note(text)
  if (json || !cli.terminal || accept !== undefined) throw fail('PLUGIN_CONSENT', { plugin: about, hash })
  if (!(await askYes(cli, 'Do you agree?'))) throw fail('PLUGIN_DECLINED', { plugin: about })
}

/** What is done stays done, whatever comes after it; it is off until the settings are written. */
async function installAll(cli: Cli, { installs }: PackPlan, options: InstallPackOptions): Promise<void> {
  if (installs.length === 0) return
  using plugins = openPluginHome(openHomeOf(cli))
  for (const { id, spec } of installs) {
    const outcome = await installPlugin(cli, plugins, spec, { ...options, id })
    if (!options.json) cli.out(describeOutcome(outcome))
  }
}

/** All settings or none: they are judged by the plugins that are installed now. */
async function setAll(cli: Cli, { sets }: PackPlan): Promise<readonly string[]> {
  if (Object.keys(sets).length === 0) return []
  const { faults, write } = await planValues(cli, await openCatalog(cli), sets)
  const [fault] = Object.entries(faults)
  if (fault) throw fail('CONFIG_VALUE_INVALID', { key: fault[0], problem: fault[1] })
  return write()
}

function describeRest({ keeps, asks }: PackPlan): readonly string[] {
  return [
    ...keeps.map((key) => `${key} stays as it is here; the list has another value.`),
    ...asks.map((key) => `${key} is left to you: agent config set ${key} VALUE`),
  ]
}

/** Of what the list switches on, what does not run yet. */
function describeStill({ plugins }: Pack, rows: readonly Listed[]): readonly string[] {
  const wanted = new Set(plugins.filter(({ enabled }) => enabled).map(({ id }) => id))
  return rows.flatMap((row) =>
    wanted.has(row.id) && row.reason ? [`${row.id} does not run yet: ${row.reason.text}.`, ...describeFix(row)] : [],
  )
}
