import { fail } from '@agent/plugin-sdk/errors'
import { showJson, showLines } from '#observe/printable.ts'
import type { Cli } from './console/cli.ts'
import { runWords } from './run-words.ts'

export interface MainOptions {
  /** Folder that holds `plugins/` and `host/`. */
  readonly installRoot: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Runs one command line and resolves to its exit code. */
export async function main(argv: readonly string[], options: MainOptions): Promise<number> {
  let code = 0
  const stop = new AbortController()
  const onSignal = (): void => stop.abort(fail('INTERRUPTED'))
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  for (const stream of [process.stdout, process.stderr]) stream.off('error', ignoreLostReader).on('error', ignoreLostReader)
  process.stdout.on('error', onSignal)
  try {
    await runWords(
      { ...openStreams(options.environment), ...options, profile: undefined, signal: stop.signal, exit: (value) => (code = value) },
      argv,
    )
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    process.stdout.off('error', onSignal)
  }
  return code
}

/** `agent logs | head`: the reader has had enough. It may be told after the command has ended, so nobody stops listening. */
function ignoreLostReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function openStreams(environment: MainOptions['environment']): Omit<Cli, 'installRoot' | 'environment' | 'profile' | 'signal' | 'exit'> {
  const { stdin, stdout, stderr } = process
  // The one place where text leaves for a terminal: no text steers it.
  const write = (text: string): void => void stdout.write(showLines(text))
  return {
    cwd: process.cwd(),
    input: stdin,
    terminal: stdin.isTTY === true && stdout.isTTY === true,
    colour: stdout.isTTY === true && !environment.NO_COLOR,
    columns: stdout.columns ?? 80,
    write,
    out: (text) => write(`${text}\n`),
    steer: (sequence) => void stdout.write(sequence),
    note: (text) => void stderr.write(`${showLines(text)}\n`),
    json: (value) => void stdout.write(`${showJson(JSON.stringify(value, null, 2))}\n`),
  }
}
