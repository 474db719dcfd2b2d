import { fail } from '@agent/plugin-sdk/errors'
import { readStatus } from '#rpc/gateway/read-status.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import type { Cli } from '../console/cli.ts'

/** Lets the running gateway read its settings again, and says what only a restart takes over. */
export async function reload(cli: Cli): Promise<void> {
  const { home } = await openCatalog(cli)
  const lines = await reloadGateway(cli, home)
  if (lines.length === 0) throw fail('GATEWAY_NOT_RUNNING', { home: home.path })
  for (const line of lines) cli.out(line)
  const { stale } = await readStatus(cli)
  if (stale.length > 0) cli.out(`Only agent gateway restart takes over ${stale.join(', ')}.`)
}
