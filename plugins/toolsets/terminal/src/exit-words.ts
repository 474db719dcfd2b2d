import { constants } from 'node:os'

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

const meanings: Readonly<Record<string, string>> = {
  SIGKILL: 'killed by SIGKILL, often because memory ran out',
  SIGSEGV: 'crashed with a segmentation fault',
  SIGABRT: 'aborted itself',
  SIGPIPE: 'stopped because nobody read its output',
  SIGINT: 'interrupted',
  SIGTERM: 'asked to end by SIGTERM',
}

/** How a command ended, in words; empty when it ended well. */
export function exitWords({ code, signal }: Exit): string {
  const name = signal ?? signalOf(code)
  if (name !== null) return `exit code ${code ?? 128 + numberOf(name)}: ${meanings[name] ?? `ended by ${name}`}`
  if (code === 0) return ''
  if (code === 126) return 'exit code 126: the file cannot be executed'
  if (code === 127) return 'exit code 127: command not found'
  return `exit code ${code}`
}

function signalOf(code: number | null): string | null {
  if (code === null || code <= 128) return null
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] ?? null
}

function numberOf(signal: string): number {
  return (constants.signals as Readonly<Record<string, number>>)[signal] ?? 0
}
