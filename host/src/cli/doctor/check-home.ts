import { accessSync, constants, existsSync } from 'node:fs'
import { detailOf, fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import { openHomeSkills } from '#agent/home-skills.ts'
import { findProblems } from '#agent/settings/find-problems.ts'
import { hiddenSkills } from '#commands/skill-commands.ts'
import { allCommands, ownNames } from '#commands/slash-table.ts'
import type { ConfigProblem } from '#config/file/loaded.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import { describeDoor, findInstance } from '#gateway/instance/instance.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import { readContributionConfig } from '#kernel/catalog/contribution-config.ts'
import { probeLocalServers } from '#models/probe.ts'
import { findMend } from '#rpc/gateway/mend-platform.ts'
import { listStale, type RunningVariables, wayToRead } from '#rpc/gateway/stale-variables.ts'
import type { OpenedCatalog } from '#rpc/home/open-catalog.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { givenVariables } from '#skills/secrets/grants.ts'
import { typedName } from '#skills/skill-name.ts'
import { findBackend } from '#tools/web/find-backend.ts'
import type { Cli } from '../console/cli.ts'
import { checkPort } from './check-machine.ts'
import { broken, type Finding, failed, fine, warn } from './finding.ts'

export function checkHome({ home }: OpenedCatalog): Finding {
  if (!existsSync(home.path)) return fine('home', `${home.path}; the first start makes it`)
  try {
    accessSync(home.path, constants.W_OK)
    return fine('home', home.path)
  } catch {
    return broken('home', `${home.path} cannot be written`, `give yourself the right to write ${home.path}, or set AGENT_HOME`)
  }
}

export async function checkConfig({ home, loaded, catalog }: OpenedCatalog): Promise<readonly Finding[]> {
  const problems = await findProblems(loaded, catalog, ownNames, () => givenVariables(home.files.skillGrants))
  if (problems.length === 0) return [fine('configuration', 'no problems')]
  return problems.map((one) => ({
    check: 'configuration',
    verdict: one.level === 'error' ? 'problem' : 'warning',
    detail: `${one.line > 0 ? `${one.file}:${one.line}` : one.file}: ${one.key} ${one.problem}`,
    fix: fixOf(one),
  }))
}

function fixOf({ file, line, key, nearest, unknownKey }: ConfigProblem): string {
  if (nearest !== undefined) return `write ${nearest} instead, or take it out`
  if (file === 'environment') return `unset ${key}, or set it to something else`
  return line > 0 ? `edit line ${line} of ${file}` : `edit ${file}${unknownKey ? ` and take ${key} out` : ''}`
}

export function checkPlugins({ catalog }: OpenedCatalog): readonly Finding[] {
  const harmless = new Set(['disabled', 'not-enabled', 'env-missing', 'denied', 'skill-taken'])
  const blocked = catalog.plugins.filter((plugin) => plugin.reason && !harmless.has(plugin.reason.code))
  const ready = catalog.plugins.filter((plugin) => plugin.state === 'ready').length
  return [
    fine('plugins', `${ready} of ${catalog.plugins.length} are ready`),
    ...blocked.map(
      (plugin): Finding => ({
        check: 'plugins',
        verdict: 'problem',
        detail: `${plugin.id}: ${plugin.reason?.text ?? ''}`,
        ...(plugin.reason?.fix ? { fix: plugin.reason.fix } : {}),
      }),
    ),
  ]
}

export async function checkSkills({ home, catalog, loaded }: OpenedCatalog): Promise<readonly Finding[]> {
  const { skills, broken: unread } = await openHomeSkills({
    home,
    catalog,
    loaded,
    safeMode: false,
    log: { warn: () => undefined },
  }).index()
  return [
    fine('skills', skills.length === 0 ? 'none' : `${skills.length} can be read`),
    ...unread.map(({ file, problem }): Finding => ({ check: 'skills', verdict: 'warning', detail: `${file} ${problem}` })),
    ...hiddenSkills(skills, allCommands(catalog)).map((name) =>
      warn('skills', `/${typedName(name)} is a command, so the skill ${name} is not given by it`, `give the skill ${name} another name`),
    ),
  ]
}

export function checkWeb({ catalog, loaded }: OpenedCatalog): Finding {
  try {
    const able = (['search', 'extract', 'crawl'] as const).flatMap((method) => {
      const backend = findBackend({ catalog, wanted: loaded.config.web.backend }, method)
      return backend ? [`${method} by ${backend.id}`] : []
    })
    return fine('web', able.join(', ') || 'no web backend is ready, so the agent does not search')
  } catch (error) {
    return failed('web', error)
  }
}

/** A gateway that runs is asked how it is. */
export async function checkGateway(cli: Cli, found: OpenedCatalog): Promise<readonly Finding[]> {
  const { home } = found
  const instance = findInstance(home)
  if (!instance) return [checkStopped(found), ...(await checkPorts(found))]
  const runs = `runs (pid ${instance.pid}, ${describeDoor(home, instance)})`
  try {
    const status = (await askGateway(home, 'status', null, { signal: cli.signal, timeoutMs: 5_000 })) as unknown as RunningVariables & {
      readonly platforms: readonly LinkStatus[]
    }
    const bad = status.platforms.filter(({ state, needsAttention }) => state === 'fatal' || needsAttention)
    return [
      fine('gateway', runs),
      ...checkRead(found, status),
      ...bad.map(({ platform, state, error }) =>
        broken(
          'gateway',
          `${platform} is ${state}: ${error ? fromWireError(error).message : 'it gave no reason'}`,
          findMend(found, platform, error)?.command ?? 'agent gateway status',
        ),
      ),
    ]
  } catch (error) {
    cli.signal.throwIfAborted()
    return [broken('gateway', `${runs} and does not answer: ${detailOf(error)}`, 'agent gateway restart')]
  }
}

/** A gateway goes on with the keys and variables that it has read: a corrected key helps nobody before it reads again. */
function checkRead({ loaded, home }: OpenedCatalog, running: RunningVariables): readonly Finding[] {
  const stale = listStale(loaded.environment, running)
  if (stale.length === 0) return []
  const detail = `has not read ${home.files.env} since it was changed, and goes on with the old ${stale.join(', ')}`
  return [broken('gateway', detail, wayToRead(stale))]
}

/** Where somebody has set up a platform, people write there and nobody answers. */
function checkStopped({ catalog }: OpenedCatalog): Finding {
  const silent = catalog.of('platform').flatMap(({ id, spec }) => (spec.door === 'messaging' ? [id] : []))
  if (silent.length === 0) return fine('gateway', 'does not run')
  return broken('gateway', `does not run, so nobody answers on ${silent.join(', ')}`, 'agent gateway start')
}

/** Ports that platforms want to open, as their settings name them. */
async function checkPorts({ catalog, loaded }: OpenedCatalog): Promise<readonly Finding[]> {
  const { environment } = loaded
  const doors = catalog.of('platform').filter(({ plugin }) => plugin.manifest.permissions.host?.value.includes('http.listen'))
  const checked = doors.map(async (contribution) => {
    const nameOf = (suffix: string): string | undefined => contribution.plugin.manifest.env.find(({ name }) => name.endsWith(suffix))?.name
    const read = (suffix: string): string | undefined => {
      const name = nameOf(suffix)
      return name !== undefined && environment.has(name) ? environment.get(name) : undefined
    }
    if (/^(false|0|no|off)$/i.test(read('_ENABLED') ?? '')) return []
    const config = (await readContributionConfig(contribution)) as { readonly host?: unknown; readonly port?: unknown }
    const port = Number(read('_PORT') ?? config.port ?? 0)
    const setting = nameOf('_PORT') ?? `the port of ${contribution.spec.label}`
    return Number.isInteger(port) ? checkPort(setting, String(read('_HOST') ?? config.host ?? '127.0.0.1'), port) : []
  })
  return (await Promise.all([...checked, checkCallbackPort(loaded)])).flat()
}

/** A warning, because only platforms whose service calls them open it, and no manifest names them. */
async function checkCallbackPort({ config }: Pick<OpenedCatalog['loaded'], 'config'>): Promise<readonly Finding[]> {
  const { host, port } = config.gateway.http
  const found = await checkPort('gateway.http.port', host, port)
  return found.map(({ check, detail, fix = '' }) => warn(check, `${detail}; a platform whose service calls it cannot start`, fix))
}

export async function checkStore(cli: Cli, { home }: OpenedCatalog): Promise<Finding> {
  try {
    if (!existsSync(home.files.state)) return fine('store', 'none yet')
    accessSync(home.files.state, constants.W_OK)
    const [latest] = await withStore(cli, (store) => store.sessions.list({ limit: 1 }))
    return fine('store', latest ? 'can be read and written' : 'can be read and written, still empty')
  } catch (error) {
    if (isAgentError(error)) return failed('store', error)
    return broken(
      'store',
      `${home.files.state} cannot be written: ${detailOf(error)}`,
      `give yourself the right to write ${home.files.state}`,
    )
  }
}

export async function checkLocalServers(cli: Cli, { catalog, loaded, home }: OpenedCatalog): Promise<Finding> {
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  return {
    check: 'local models',
    verdict: 'ok',
    detail: found.map((server) => `${server.label} at ${server.baseUrl}`).join(', ') || 'no model server runs on this machine',
  }
}
