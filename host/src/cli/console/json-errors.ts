import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Cli } from './cli.ts'

/** Programs read the code of an error, not its sentence. Who has to agree first has been told by another document. */
export async function withJsonErrors(cli: Cli, { json }: { readonly json?: true }, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (json && isAgentError(error) && error.code !== 'PLUGIN_CONSENT') {
      cli.json({ error: { code: error.code, message: error.message, params: error.params } })
    }
    throw error
  }
}
