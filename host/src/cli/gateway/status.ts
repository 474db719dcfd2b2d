import { existsSync } from 'node:fs'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import { type Home, openHome } from '#config/home.ts'
import { findInstance, type InstanceRecord, readGatewayState } from '#gateway/instance.ts'
import type { LinkStatus } from '#gateway/link-status.ts'
import { countQueues, type QueueCounts } from '#gateway/queue-counts.ts'
import type { UnknownSend } from '#store/journal.ts'
import { type Cli, formatTable } from '../cli.ts'
import { formatAge } from '../format-age.ts'
import { withStore } from '../open-home-store.ts'

/** Says whether the gateway runs, how its platforms are, and which answers may not have arrived. */
export async function printStatus(cli: Cli, json: boolean): Promise<void> {
  const home = openHome({ environment: cli.environment, ...(cli.profile ? { profile: cli.profile } : {}), create: false })
  const instance = findInstance(home)
  const platforms = instance ? (readGatewayState(home)?.platforms ?? []) : []
  const { unknown, queues } = await readJournal(cli, home)
  if (!instance) cli.exit(1)
  if (json) {
    const [pid, url] = [instance?.pid ?? null, instance?.url ?? null]
    return cli.json({ state: instance ? 'running' : 'stopped', home: home.path, pid, url, platforms, queues, unknown })
  }
  cli.out(describeInstance(home, instance))
  for (const platform of platforms) printPlatform(cli, platform)
  for (const { platform, inbox, outbox } of queues) if (inbox + outbox > 0) cli.out(`  ${platform}: ${inbox} to answer, ${outbox} to send`)
  if (unknown.length > 0) printUnknown(cli, unknown)
}

/** Puts an answer of unknown fate back into the queue. */
export async function resend(cli: Cli, number: string): Promise<void> {
  const found = /^\d+$/.test(number) && (await withStore(cli, (store) => store.journal.resend(Number(number))))
  if (!found) throw fail('USAGE', { problem: `There is no answer ${number} of unknown fate.`, try: 'agent gateway status' })
  cli.out('It is sent again as soon as its platform is connected.')
}

function describeInstance(home: Home, instance: InstanceRecord | undefined): string {
  if (!instance) return `No gateway runs for ${home.path}. Start one with agent gateway start.`
  return `The gateway runs (pid ${instance.pid}${instance.url ? `, ${instance.url}` : ', still starting'}).`
}

function printPlatform(cli: Cli, status: LinkStatus): void {
  const { platform, state, since, attempts, lastHeard, silences, needsAttention, error } = status
  const age = (at: number): string => formatAge(Date.now() - at)
  const facts = [
    `${state} for ${age(since)}`,
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
    ...(lastHeard === null ? [] : [`heard ${age(lastHeard)} ago`]),
    ...(silences > 0 ? [`${silences} silent ${silences === 1 ? 'connection' : 'connections'} replaced`] : []),
    ...(needsAttention ? ['needs attention'] : []),
  ]
  cli.out(`  ${platform}: ${facts.join(', ')}`)
  if (error) cli.out(`    ${error.code}: ${fromWireError(error).message}`)
}

interface JournalState {
  readonly queues: readonly QueueCounts[]
  readonly unknown: readonly UnknownSend[]
}

/** Nothing is made for a look. */
async function readJournal(cli: Cli, home: Home): Promise<JournalState> {
  if (!existsSync(home.files.state)) return { queues: [], unknown: [] }
  return withStore(cli, async ({ journal }) => ({ queues: await countQueues(journal), unknown: await journal.unknownSends() }))
}

function printUnknown(cli: Cli, unknown: readonly UnknownSend[]): void {
  cli.out('Nobody can tell whether these answers arrived:')
  cli.out(
    formatTable(
      unknown.map(({ seq, platform, conversation, at, text }) => [
        `  ${seq}`,
        `${platform} ${conversation}`,
        `${formatAge(Date.now() - at)} ago`,
        text.replace(/\s+/g, ' ').slice(0, 60),
      ]),
    ),
  )
  cli.out('agent gateway resend NUMBER sends one again.')
}
