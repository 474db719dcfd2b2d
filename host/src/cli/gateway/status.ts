import { fail } from '@agent/plugin-sdk/errors'
import { needsSomebody, readStatus } from '#rpc/gateway/read-status.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import type { UnknownFate } from '#store/journal.ts'
import type { Cli } from '../console/cli.ts'
import { describeStatus } from './describe-status.ts'
import { toRow } from './failures.ts'

/** Says whether the gateway runs, how its platforms are, and which answers may not have arrived. */
export async function printStatus(cli: Cli, json: boolean): Promise<void> {
  const status = await readStatus(cli)
  const { home, instance, platforms, queues, unknown, failures, sandbox, stale, writtenAt, profiles } = status
  if (!instance) cli.exit(1)
  if (!json) return describeStatus(cli, status)
  const [pid, url] = [instance?.pid ?? null, instance?.url ?? null]
  const attention = platforms.filter(needsSomebody).map(({ platform }) => platform)
  cli.json({
    ...{ state: instance ? 'running' : 'stopped', home: home.path, pid, url, platforms, attention, queues, unknown, sandbox },
    ...{ failures: failures.map(toRow), stale, writtenAt: writtenAt ?? null },
    ...{ servedBy: instance?.servedBy ?? null, profiles },
  })
}

/** Puts an answer of unknown fate back into the queue. */
export async function resend(cli: Cli, number: string): Promise<void> {
  const found = /^\d+$/.test(number) && (await withStore(cli, (store) => store.journal.resend(Number(number))))
  if (!found) throw notUnknown(number)
  cli.out('It is in the queue again: it is sent at once where its platform is connected, else as soon as it is.')
}

const fates: Readonly<Record<UnknownFate, string>> = {
  arrived: 'It counts as sent.',
  lost: 'It is given up: nobody sends it any more, and agent gateway failures lists it for a week.',
}

/** Takes an answer of unknown fate off the list, by the word of somebody who has looked. */
export async function settle(cli: Cli, number: string, word: string): Promise<void> {
  const fate = word === 'arrived' || word === 'lost' ? word : undefined
  if (fate === undefined)
    throw fail('USAGE', { problem: `"${word}" is neither arrived nor lost.`, try: `agent gateway settle ${number} arrived` })
  const found = /^\d+$/.test(number) && (await withStore(cli, (store) => store.journal.endUnknown(Number(number), fate)))
  if (!found) throw notUnknown(number)
  cli.out(fates[fate])
}

function notUnknown(number: string): Error {
  return fail('USAGE', { problem: `There is no answer ${number} of unknown fate.`, try: 'agent gateway status' })
}
