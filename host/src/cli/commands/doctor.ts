import { accessSync, constants } from 'node:fs'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { openHomeSkills } from '#agent/home-skills.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import { probeLocalServers } from '#models/probe.ts'
import { chooseModel } from '#models/select.ts'
import { findBackend } from '#tools/web/find-backend.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import { withStore } from '../home/open-home-store.ts'

type Verdict = 'ok' | 'warning' | 'problem'

interface Finding {
  readonly check: string
  readonly verdict: Verdict
  readonly detail: string
}

export function command(cli: Cli): Command {
  return new Command('doctor')
    .description('Look for what keeps the agent from working. Nothing is changed.')
    .option('--json', 'as JSON')
    .action((options: { json?: true }) => examine(cli, options.json === true))
}

/** Exit code 0 without problems, 1 with some. */
async function examine(cli: Cli, json: boolean): Promise<void> {
  const findings: Finding[] = [checkNode()]
  try {
    const found = await openCatalog(cli)
    findings.push(checkHome(found), ...checkConfig(found), ...checkPlugins(found), checkModel(found), checkWeb(found), checkGateway(found))
    findings.push(...(await checkSkills(found)))
    findings.push(await checkStore(cli), await checkLocalServers(cli, found))
  } catch (error) {
    findings.push(problemOf('configuration', error))
  }
  if (findings.some((each) => each.verdict === 'problem')) cli.exit(1)
  if (json) {
    cli.json({ findings })
    return
  }
  const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const
  cli.out(formatTable(findings.map(({ check, verdict, detail }) => [paint(cli, colours[verdict], verdict), check, detail])))
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const fits = major > 20 || (major === 20 && minor >= 19)
  return { check: 'node', verdict: fits ? 'ok' : 'problem', detail: `${process.versions.node}${fits ? '' : '; 20.19 or newer is needed'}` }
}

function checkHome({ home }: OpenedCatalog): Finding {
  try {
    accessSync(home.path, constants.W_OK)
    return { check: 'home', verdict: 'ok', detail: home.path }
  } catch {
    return { check: 'home', verdict: 'problem', detail: `${home.path} cannot be written` }
  }
}

function checkConfig({ loaded }: OpenedCatalog): readonly Finding[] {
  if (loaded.problems.length === 0) return [{ check: 'configuration', verdict: 'ok', detail: 'no problems' }]
  return loaded.problems.map(({ file, line, key, problem, level }) => ({
    check: 'configuration',
    verdict: level === 'error' ? 'problem' : 'warning',
    detail: `${file}:${line}: ${key} ${problem}`,
  }))
}

function checkPlugins({ catalog }: OpenedCatalog): readonly Finding[] {
  const harmless = new Set(['disabled', 'not-enabled', 'env-missing', 'denied', 'skill-taken'])
  const blocked = catalog.plugins.filter((plugin) => plugin.reason && !harmless.has(plugin.reason.code))
  const ready = catalog.plugins.filter((plugin) => plugin.state === 'ready').length
  return [
    { check: 'plugins', verdict: 'ok', detail: `${ready} of ${catalog.plugins.length} are ready` },
    ...blocked.map(
      (plugin): Finding => ({
        check: 'plugins',
        verdict: 'problem',
        detail: `${plugin.id}: ${plugin.reason?.text ?? ''}. ${plugin.reason?.fix ?? ''}`,
      }),
    ),
  ]
}

async function checkSkills({ home, catalog }: OpenedCatalog): Promise<readonly Finding[]> {
  const { skills, broken } = await openHomeSkills({ home, catalog, safeMode: false, log: { warn: () => undefined } }).index()
  return [
    { check: 'skills', verdict: 'ok', detail: skills.length === 0 ? 'none' : `${skills.length} can be read` },
    ...broken.map(({ file, problem }): Finding => ({ check: 'skills', verdict: 'warning', detail: `${file} ${problem}` })),
  ]
}

function checkModel({ catalog, loaded }: OpenedCatalog): Finding {
  try {
    const { provider, model, implicit } = chooseModel({ catalog, ...loaded }, {})
    if (implicit)
      return { check: 'model', verdict: 'warning', detail: 'no provider is configured; only the offline model answers (agent model)' }
    return { check: 'model', verdict: 'ok', detail: `${provider}/${model}` }
  } catch (error) {
    return problemOf('model', error)
  }
}

function checkWeb({ catalog, loaded }: OpenedCatalog): Finding {
  try {
    const able = (['search', 'extract', 'crawl'] as const).flatMap((method) => {
      const backend = findBackend({ catalog, wanted: loaded.config.web.backend }, method)
      return backend ? [`${method} by ${backend.id}`] : []
    })
    return { check: 'web', verdict: 'ok', detail: able.join(', ') || 'no web backend is ready, so the agent does not search' }
  } catch (error) {
    return problemOf('web', error)
  }
}

function checkGateway({ home }: OpenedCatalog): Finding {
  const instance = findInstance(home)
  return { check: 'gateway', verdict: 'ok', detail: instance ? `runs (pid ${instance.pid}, ${instance.url})` : 'does not run' }
}

async function checkStore(cli: Cli): Promise<Finding> {
  try {
    const [latest] = await withStore(cli, (store) => store.sessions.list({ limit: 1 }))
    return { check: 'store', verdict: 'ok', detail: latest ? 'readable' : 'readable, still empty' }
  } catch (error) {
    return problemOf('store', error)
  }
}

async function checkLocalServers(cli: Cli, { catalog, loaded, home }: OpenedCatalog): Promise<Finding> {
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  return {
    check: 'local models',
    verdict: 'ok',
    detail: found.map((server) => `${server.label} at ${server.baseUrl}`).join(', ') || 'no model server runs on this machine',
  }
}

function problemOf(check: string, error: unknown): Finding {
  return { check, verdict: 'problem', detail: isAgentError(error) ? error.message : String(error) }
}
