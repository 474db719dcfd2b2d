import { detailOf, fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import { type OpenAgent, openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import { loadConfig } from '#config/load.ts'
import { type Gateway, openGateway } from '#gateway/gateway.ts'
import { isWanted } from '#gateway/instance/instance.ts'
import { collectWhenIdle, createCollector, growNursery } from '#gateway/process/idle-collector.ts'
import { systemClock } from '#kernel/clock.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { applySafeMode } from '#rpc/home/safe-mode.ts'
import { declineSkills, seedHome } from '#rpc/skills/seed-home.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'
import type { Cli } from '../console/cli.ts'
import { ownCommand } from '../console/own-command.ts'
import { listBlockedPlatforms } from './blocked-platforms.ts'
import type { Serving } from './serve-profiles.ts'

export interface RunGatewayOptions {
  readonly fromStart?: true
  /** The dashboard is started beside it. */
  readonly dashboard?: true
  readonly boot?: true
  readonly safeMode?: true
  readonly ignoreUserConfig?: true
  /** False: this home gets none of the skills that come with the program, now and later. */
  readonly skills?: boolean
}

/** Runs the gateway in this process until it is told to stop. */
export async function runGateway(cli: Cli, options: RunGatewayOptions): Promise<void> {
  if (options.boot && !(await isWantedAtBoot(cli))) return
  growNursery()
  // The dashboard beside it may be the first that wants to put them there.
  if (options.skills === false) declineSkills(openHomeOf(cli))
  await using dashboard = options.dashboard ? (await import('./start-dashboard.ts')).startDashboard(cli) : undefined
  seedHome(cli, options)
  const agent = await openAgent({
    installRoot: cli.installRoot,
    ...applySafeMode(cli, options),
    profile: cli.profile,
    logName: 'gateway',
    ownCommands: ownNames,
    note: cli.note,
  })
  const collect = createCollector()
  const serving = await serveProfiles(cli, options, agent)
  try {
    const gateway = await openGateway({
      ...agent,
      services: createSlashServices(cli, agent),
      random: Math.random,
      ...(serving && { company: serving.company }),
    })
    if (dashboard) tellDashboard(cli, await dashboard.url())
    greet(cli, gateway, listBlockedPlatforms(agent.catalog, agent.loaded.config), options.fromStart === true)
    void afterStart(cli, agent)
    void serving?.start()
    const { activity } = serving ?? agent.turns
    await collectWhenIdle({ activity, collect, clock: systemClock, signal: cli.signal })
    cli.note('Stopping; what runs is finished or kept for the next start.')
    await Promise.all([gateway.close(), serving?.close()])
  } catch (error) {
    if (!options.fromStart || !isAgentError(error, 'GATEWAY_RUNNING')) throw error
    cli.out(error.message)
  } finally {
    await serving?.close()
    await agent.close()
  }
}

/** The default profile may serve all others; what does that is loaded only then. */
async function serveProfiles(cli: Cli, flags: RunGatewayOptions, first: OpenAgent): Promise<Serving | undefined> {
  if (!first.loaded.config.gateway.multiplex_profiles) return undefined
  if (first.home.profile !== defaultProfile) {
    cli.note('gateway.multiplex_profiles holds in the default profile only, and has no effect here.')
    return undefined
  }
  const { openServing } = await import('./serve-profiles.ts')
  return openServing({ ...cli, flags, first })
}

function tellDashboard(cli: Cli, url: string | undefined): void {
  if (url !== undefined) cli.out(`The dashboard is at ${url}`)
  // Who has stopped it all meanwhile need not look for a reason.
  else if (!cli.signal.aborted) cli.note('The dashboard did not start. agent dashboard says why.')
}

/** What the first conversations need not wait for. */
async function afterStart(cli: Cli, agent: OpenAgent): Promise<void> {
  await systemClock.sleep(300, cli.signal).catch(() => undefined)
  saveManifests(agent)
  if (!cli.signal.aborted) await tellConditions(cli, agent)
}

/** Says what holds commands here and which settings have no effect; the first conversations come before. */
async function tellConditions(cli: Cli, { sandbox, loaded, silentSettings, log }: OpenAgent): Promise<void> {
  try {
    for (const sentence of await silentSettings()) cli.note(sentence)
    cli.out(describeSandbox(await sandbox.level(), loaded.config.terminal.sandbox))
  } catch (error) {
    if (!cli.signal.aborted) log.error('what holds here could not be told', { error: detailOf(error) })
  }
}

/** Without it the next start reads each of them again. */
function saveManifests({ manifests, log }: Pick<OpenAgent, 'manifests' | 'log'>): void {
  try {
    manifests.save()
  } catch (error) {
    log.warn('what the manifests of plugins said could not be kept', { error: detailOf(error) })
  }
}

/** A person who starts the gateway wants it; a container or a service asks what is noted. */
async function isWantedAtBoot(cli: Cli): Promise<boolean> {
  const home = openHomeOf(cli)
  const { environment } = await loadConfig(home, cli.environment)
  if (isWanted(home, environment.get('AGENT_GATEWAY_BOOTSTRAP_STATE'), systemClock)) return true
  cli.out(`The gateway of ${home.path} is not to run at boot. Start it with agent gateway start.`)
  return false
}

function greet(cli: Cli, gateway: Gateway, blocked: readonly string[], fromStart: boolean): void {
  cli.out(gateway.url ? `agent listens at ${gateway.url}` : 'agent runs; no HTTP door is open.')
  for (const { platform, state, error } of gateway.platforms())
    cli.out(`  ${platform}: ${state}${error ? ` (${error.code})\n    ${fromWireError(error).message}` : ''}`)
  for (const line of blocked) cli.out(`  ${line}`)
  if (!fromStart) return
  const agent = ownCommand(cli)
  const say = (words: string, what: string): void => cli.out(`  ${`${agent} ${words}`.padEnd(30)} ${what}`)
  cli.out('\nNext, in another terminal:')
  say('chat', 'talk to it here')
  if (gateway.url)
    cli.out(
      `  curl ${gateway.url}/v1/chat/completions -H 'content-type: application/json' \\\n       -d '{"messages":[{"role":"user","content":"hello"}]}'`,
    )
  say('model', 'choose an inference provider')
  if (agent !== 'agent') say('setup', 'put agent on your PATH, so that it is called agent in every folder')
  cli.out('Ctrl-C stops it.')
}
