import { existsSync } from 'node:fs'
import { fromWireError } from '@agent/plugin-sdk/errors'
import { printable } from '#observe/printable.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import type { Failure } from '#store/journal.ts'
import type { Cli } from '../console/cli.ts'
import { formatAge } from '../console/format-age.ts'

const mostListed = 200

/** Lists messages that had no whole answer, and answers that were refused, newest first. */
export async function printFailures(cli: Cli, json: boolean): Promise<void> {
  const home = openHomeOf(cli, { create: false })
  const failures = existsSync(home.files.state) ? await withStore(cli, ({ journal }) => journal.failures(mostListed)) : []
  if (json) return cli.json({ failures: failures.map(toRow) })
  if (failures.length === 0) return cli.out('Nothing has failed in the last seven days.')
  describeFailures(cli, failures)
}

/** Says of each what was said, where, and why nothing came of it. */
export function describeFailures(cli: Pick<Cli, 'out'>, failures: readonly Failure[]): void {
  for (const { type, platform, conversation, sender, text, at, error } of failures) {
    const what = type === 'turn' ? `${sender} wrote` : 'the agent said'
    const words = text.replace(/\s+/g, ' ').trim().slice(0, 60)
    cli.out(printable(`  ${formatAge(Date.now() - at)} ago, ${platform} ${conversation}: ${what} "${words}"`))
    cli.out(`    ${printable(fromWireError(error).message)}`)
  }
  cli.out(
    'None of it is tried again by itself. Once the cause is mended, let them write again, or say it with agent send PLATFORM:CONVERSATION.',
  )
}

/** A failure as programs read it: `help` is the command that says something in its conversation. */
export function toRow({ error, ...failure }: Failure) {
  const { platform, conversation } = failure
  return { ...failure, code: error.code, reason: fromWireError(error).message, help: `agent send ${platform}:${conversation} TEXT` }
}
