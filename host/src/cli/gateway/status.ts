import { existsSync } from 'node:fs'
import { fail } from '@agent/plugin-sdk/errors'
import { type Home, openHome } from '#config/home.ts'
import { findInstance, readGatewayState } from '#gateway/instance.ts'
import type { UnknownSend } from '#store/journal.ts'
import { type Cli, formatTable } from '../cli.ts'
import { formatAge } from '../format-age.ts'
import { withStore } from '../open-home-store.ts'

/** Says whether the gateway runs, how its platforms are, and which answers may not have arrived. */
export async function printStatus(cli: Cli, json: boolean): Promise<void> {
  const home = openHome({ environment: cli.environment, ...(cli.profile ? { profile: cli.profile } : {}), create: false })
  const instance = findInstance(home)
  const platforms = instance ? (readGatewayState(home)?.platforms ?? []) : []
  const unknown = await readUnknown(cli, home)
  if (!instance) cli.exit(1)
  if (json) {
    const [pid, url] = [instance?.pid ?? null, instance?.url ?? null]
    return cli.json({ state: instance ? 'running' : 'stopped', home: home.path, pid, url, platforms, unknown })
  }
  if (instance) cli.out(`The gateway runs (pid ${instance.pid}${instance.url ? `, ${instance.url}` : ', still starting'}).`)
  else cli.out(`No gateway runs for ${home.path}. Start one with agent gateway start.`)
  const rows = platforms.map(({ platform, state, since, error }) => [
    `  ${platform}`,
    state,
    `for ${formatAge(Date.now() - since)}`,
    error?.code ?? '',
  ])
  if (rows.length > 0) cli.out(formatTable(rows))
  if (unknown.length > 0) printUnknown(cli, unknown)
}

/** Puts an answer of unknown fate back into the queue. */
export async function resend(cli: Cli, number: string): Promise<void> {
  const found = /^\d+$/.test(number) && (await withStore(cli, (store) => store.journal.resend(Number(number))))
  if (!found) throw fail('USAGE', { problem: `There is no answer ${number} of unknown fate.`, try: 'agent gateway status' })
  cli.out('It is sent again as soon as its platform is connected.')
}

/** Nothing is made for a look. */
async function readUnknown(cli: Cli, home: Home): Promise<readonly UnknownSend[]> {
  return existsSync(home.files.state) ? withStore(cli, (store) => store.journal.unknownSends()) : []
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
