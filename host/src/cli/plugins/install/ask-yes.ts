import { createInterface } from 'node:readline/promises'
import { linkSignals } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { showText } from '#observe/printable.ts'
import type { Cli } from '../../console/cli.ts'

/** Asks on the terminal; everything but a yes is a no, the end of the input too. Ctrl-C rejects, so that things are put back. */
export async function askYes({ input, signal }: Pick<Cli, 'input' | 'signal'>, question: string): Promise<boolean> {
  using ended = linkSignals(signal)
  const lines = createInterface({ input, output: process.stderr })
  // A terminal that is asked hands Ctrl-C to the question, not to the process.
  lines.once('SIGINT', () => ended.abort(fail('INTERRUPTED'))).once('close', () => ended.abort('ended'))
  try {
    const answer = await lines.question(`${showText(question)} [y/N] `, { signal: ended.signal })
    return /^y(es)?$/i.test(answer.trim())
  } catch (error) {
    signal.throwIfAborted()
    if (ended.signal.reason instanceof Error && ended.signal.reason.name === 'AgentError') throw ended.signal.reason
    if (ended.signal.aborted) return false
    throw error
  } finally {
    lines.close()
  }
}
