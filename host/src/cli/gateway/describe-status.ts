import { fromWireError } from '@agent/plugin-sdk/errors'
import { describeDoor } from '#gateway/instance/instance.ts'
import type { QueueCounts } from '#gateway/instance/queue-counts.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import { printable } from '#observe/printable.ts'
import { describeServed } from '#rpc/gateway/describe-served.ts'
import type { PlatformMend } from '#rpc/gateway/mend-platform.ts'
import { type FoundGatewayStatus, needsSomebody, type PlatformStatus } from '#rpc/gateway/read-status.ts'
import { wayToRead } from '#rpc/gateway/stale-variables.ts'
import type { UnknownSend } from '#store/journal.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { formatAge } from '../console/format-age.ts'
import { describeFailures } from './failures.ts'

/** Prints the state of the gateway for a person. */
export function describeStatus(
  cli: Cli,
  { home, instance, platforms, queues, unknown, failures, sandbox, profiles, ...found }: FoundGatewayStatus,
): void {
  if (instance) cli.out(`The gateway runs (pid ${instance.pid}, ${describeDoor(home, instance)}).`)
  else cli.out(`No gateway runs for ${home.path}. Start one with agent gateway start.`)
  if (found.writtenAt !== undefined)
    cli.out(paint(cli, 'red', `It does not answer. This is what it wrote down ${formatAge(Date.now() - found.writtenAt)} ago:`))
  if (found.stale.length > 0)
    cli.out(
      `It goes on with the old ${found.stale.join(', ')} of ${home.files.env}: ${wayToRead(found.stale)} takes over what stands there now.`,
    )
  for (const status of platforms) describePlatform(cli, status, queues)
  const shown = new Set(platforms.map(({ platform }) => platform))
  // What waits for a platform that is gone or off.
  for (const queue of queues.filter(({ platform }) => !shown.has(platform))) {
    cli.out(`  ${queue.platform}: does not run${formatFacts(describeQueue(queue))}`)
    cli.out(`    agent plugins why ${queue.platform} says why.`)
  }
  if (instance?.servedBy !== undefined) cli.out(`It is that of the profile ${instance.servedBy}, which serves this one too.`)
  for (const served of profiles) cli.out(`  ${describeServed(served)}`)
  if (unknown.length > 0) describeUnknown(cli, unknown)
  if (failures.length > 0) {
    cli.out('These failed in the last day; agent gateway failures lists the whole week:')
    describeFailures(cli, failures)
  }
  cli.out(sandbox)
}

function describePlatform(cli: Cli, status: PlatformStatus, queues: readonly QueueCounts[]): void {
  const queue = queues.find(({ platform }) => platform === status.platform)
  const link = 'since' in status ? describeLink(status) : status.state
  const line = `  ${status.platform}: ${link}${formatFacts(queue ? describeQueue(queue) : [])}`
  cli.out(needsSomebody(status) ? paint(cli, 'red', line) : line)
  if ('error' in status && status.error) cli.out(`    ${status.error.code}: ${fromWireError(status.error).message}`)
  const hint = hints[status.state]
  if (hint) cli.out(`    ${hint(status.platform, 'mend' in status ? status.mend : undefined)}`)
}

const hints: Readonly<Partial<Record<PlatformStatus['state'], (platform: string, mend: PlatformMend | undefined) => string>>> = {
  retrying: (platform) => `agent gateway resume ${platform} tries it now.`,
  paused: (platform) => `agent gateway resume ${platform} connects it again.`,
  fatal: (platform, mend) =>
    mend
      ? `No waiting mends it: ${mend.command} asks for another ${mend.variables.join(' or ')} and connects it; agent gateway resume ${platform} tries the old one again.`
      : `No waiting mends it: correct it, then agent gateway resume ${platform}.`,
}

function formatFacts(facts: readonly string[]): string {
  return facts.map((fact) => `, ${fact}`).join('')
}

function describeLink({ state, since, attempts, lastHeard, silences, needsAttention }: LinkStatus): string {
  const age = (at: number): string => formatAge(Date.now() - at)
  const facts = [
    ...(attempts > 1 && state !== 'connected' ? [`attempt ${attempts}`] : []),
    ...(lastHeard === null ? [] : [`heard ${age(lastHeard)} ago`]),
    ...(silences > 0 ? [`${silences} silent ${silences === 1 ? 'connection' : 'connections'} replaced`] : []),
    ...(needsAttention ? ['needs attention'] : []),
  ]
  return `${state} for ${age(since)}${formatFacts(facts)}`
}

function describeQueue({ inbox, outbox, unknown }: QueueCounts): readonly string[] {
  return [
    ...(inbox > 0 ? [`${inbox} to answer`] : []),
    ...(outbox > 0 ? [`${outbox} to send`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown fate`] : []),
  ]
}

function describeUnknown(cli: Cli, unknown: readonly UnknownSend[]): void {
  cli.out('Nobody can tell whether these answers arrived:')
  cli.out(
    formatTable(
      unknown.map(({ seq, platform, conversation, at, text }) => [
        `  ${seq}`,
        printable(`${platform} ${conversation}`),
        `${formatAge(Date.now() - at)} ago`,
        printable(text.replace(/\s+/g, ' ').slice(0, 60)),
      ]),
    ),
  )
  cli.out('agent gateway resend NUMBER sends one again.')
  cli.out('agent gateway settle NUMBER arrived takes one off this list, as does lost for one that is given up.')
}
