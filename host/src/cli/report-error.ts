import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Cli } from './console/cli.ts'

/** Tells a person what went wrong in one sentence and sets the exit code. One of the three error translators. */
export function reportError(cli: Pick<Cli, 'note' | 'exit'>, error: unknown): void {
  if (isAgentError(error)) {
    cli.note(`agent: ${error.message}`)
    cli.exit(exitCode(error.code))
    return
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  cli.note(`agent: Something unexpected happened.\n${text}`)
  cli.exit(1)
}

function exitCode(code: string): number {
  if (code === 'USAGE' || code === 'NOT_BUILT') return 2
  return code === 'INTERRUPTED' ? 130 : 1
}
