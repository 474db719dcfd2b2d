import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import type { Cli } from '../../cli.ts'

/** A running gateway takes the change over; where none runs, the next one finds it. */
export async function tellGateway(cli: Pick<Cli, 'note' | 'signal'>, home: Home, id: string): Promise<void> {
  try {
    await askGateway(home, 'plugins.reload', { plugin: id }, { signal: cli.signal })
  } catch (error) {
    if (!isAgentError(error)) throw error
    // What was installed is installed: the gateway's trouble with it is news, not a failure.
    if (error.code !== 'GATEWAY_NOT_RUNNING') cli.note(`The running gateway did not take over ${id}: ${error.message}`)
  }
}
