import type { Home } from '#config/home/home.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import type { Cli } from '../../console/cli.ts'

/** A running gateway takes the change over; where none runs, the next one finds it. */
export async function tellGateway(cli: Pick<Cli, 'note' | 'signal'>, home: Home): Promise<void> {
  for (const line of await reloadGateway(cli, home)) cli.note(line)
}
