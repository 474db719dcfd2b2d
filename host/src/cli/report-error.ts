import { type AgentError, detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { explainFileError } from '#kernel/read-text.ts'
import type { Cli } from './console/cli.ts'
import { formHints } from './console/own-command.ts'

/** Tells a person what went wrong in one sentence and sets the exit code. One of the three error translators. */
export async function reportError(
  cli: Pick<Cli, 'note' | 'exit' | 'environment' | 'profile' | 'signal' | 'installRoot' | 'cwd'>,
  thrown: unknown,
): Promise<AgentError> {
  // What the system says of an aborted wait does not say why it was aborted.
  const error = cli.signal.aborted && thrown instanceof Error && thrown.name === 'AbortError' ? cli.signal.reason : thrown
  const known = isAgentError(error) ? error : explainFileError(error)
  const told = isAgentError(known) ? known : await logUnexpected(cli, error)
  cli.note(`agent: ${formHints(told.message, cli)}`)
  cli.exit(exitCode(told.code))
  return told
}

/** The place in the code is for the log; a person gets the sentence. */
async function logUnexpected(cli: Pick<Cli, 'environment' | 'profile'>, error: unknown): Promise<AgentError> {
  const { logError } = await import('./home/log-error.ts')
  const isLogged = await logError(cli, error)
  const detail = detailOf(error).split('\n')[0] ?? ''
  return fail('INTERNAL', { detail: isLogged ? detail : `${detail} (and the log could not be written)` })
}

function exitCode(code: string): number {
  if (code === 'USAGE' || code === 'NOT_BUILT') return 2
  return code === 'INTERRUPTED' ? 130 : 1
}
