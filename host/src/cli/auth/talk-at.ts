import { createInterface } from 'node:readline/promises'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { LoginTalk } from '#models/credentials/run-login.ts'
import type { Cli } from '../console/cli.ts'

/** How a person at a terminal is led through a login. */
export function talkAt(cli: Cli, provider: string): LoginTalk {
  return {
    showCode: ({ address, code, fullAddress, lastsMs }) => {
      cli.note(`Open ${address} in a browser, on any machine, and type in this code: ${code}`)
      if (fullAddress !== undefined) cli.note(`With the code in it: ${fullAddress}`)
      cli.note(`It is good for ${Math.round(lastsMs / 60_000)} minutes. Waiting …`)
    },
    showAddress: (address) => {
      cli.note(`Open this address in a browser:\n${address}`)
      cli.note('If the browser ends at a page that cannot be shown, or shows a code, paste that address or code here and press Enter.')
    },
    paste: (signal) => paste(cli, provider, signal),
  }
}

/** A line of the person; where nobody can type, it never comes, and the browser alone can end the login. */
async function paste(cli: Cli, provider: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: cli.input })
  try {
    const next = await Promise.race([lines[Symbol.asyncIterator]().next(), aborted(signal)])
    if (!next.done) return String(next.value)
    if (cli.terminal) throw fail('LOGIN_FAILED', { provider, detail: 'the input has ended' })
    return await aborted(signal)
  } catch (error) {
    if (isAgentError(error)) throw error
    throw fail('INTERRUPTED')
  } finally {
    lines.close()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
