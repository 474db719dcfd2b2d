import { createInterface } from 'node:readline/promises'
import { fail } from '@agent/plugin-sdk/errors'
import { showText } from '#observe/printable.ts'
import type { Cli } from './cli.ts'

/** Asks a yes-or-no question; without a terminal nobody can answer, which is an error that names --yes. */
export async function confirm(cli: Cli, question: string): Promise<boolean> {
  if (!cli.terminal)
    throw fail('USAGE', { problem: 'This needs a yes, and nobody is there to give it.', try: 'the same command with --yes' })
  const lines = createInterface({ input: cli.input, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${showText(question)} [y/N] `, { signal: cli.signal })).trim())
  } finally {
    lines.close()
  }
}

/** Asks the person at the terminal; undefined where nobody is there. */
export function askerOf(cli: Cli): ((question: string) => Promise<boolean>) | undefined {
  return cli.terminal ? (question) => confirm(cli, question) : undefined
}
