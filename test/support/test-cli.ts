import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Command } from 'commander'
import type { Cli } from '../../host/src/cli/console/cli.ts'
import { reportError } from '../../host/src/cli/report-error.ts'
import { runCommander } from '../../host/src/cli/run-commander.ts'
import { runWords } from '../../host/src/cli/run-words.ts'
import { showJson, showLines } from '../../host/src/observe/printable.ts'
import type { AgentRun, RunOptions } from './run-agent.ts'
import type { TestHome } from './test-home.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly note: string
  /** Code of the error that ended it. */
  readonly error: string | undefined
}

interface TestCliOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The root folder where none is given. */
  readonly cwd?: string
  readonly profile?: string
  /** Folder with the bundled plugins. */
  readonly installRoot?: string
  readonly signal?: AbortSignal
  /** Sees each line of standard output as it comes. */
  readonly onLine?: (line: string) => void
  /** Sees each line of standard error as it comes. */
  readonly onNote?: (line: string) => void
  /** What a person types. */
  readonly input?: Readable
  /** A person sits there. */
  readonly terminal?: boolean
}

/** A console whose output is kept, as the program would have written it. */
export function openTestCli(options: TestCliOptions): { readonly cli: Cli; readonly said: { code: number; out: string; note: string } } {
  const said = { code: 0, out: '', note: '' }
  const steer = (text: string): void => {
    said.out += text
  }
  const write = (text: string): void => steer(showLines(text))
  const cli: Cli = {
    installRoot: options.installRoot ?? '/nonexistent',
    environment: options.environment,
    cwd: options.cwd ?? '/',
    profile: options.profile,
    input: options.input ?? Readable.from([]),
    terminal: options.terminal ?? false,
    colour: false,
    columns: 80,
    signal: options.signal ?? new AbortController().signal,
    write,
    steer,
    out(text) {
      write(`${text}\n`)
      options.onLine?.(text)
    },
    note(text) {
      said.note += `${showLines(text)}\n`
      options.onNote?.(text)
    },
    json: (value) => steer(`${showJson(JSON.stringify(value, null, 2))}\n`),
    exit(value) {
      said.code = value
    },
  }
  return { cli, said }
}

/** Runs a command as the program does, with everything it says kept. */
export async function runCommand(command: (cli: Cli) => Command, words: readonly string[], options: TestCliOptions): Promise<Ran> {
  const { cli, said } = openTestCli(options)
  let failure: string | undefined
  try {
    await runCommander(cli, command, words)
  } catch (error) {
    await reportError({ ...cli, environment: { ...cli.environment, PATH: undefined } }, error)
    if (isAgentError(error)) failure = error.code
  }
  return { ...said, error: failure }
}

const installRoot = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs `agent <words>` in this process: the words, home and output of `runAgent` without its second of starting a program.
 * It is for rules of commands; that the program starts, takes signals, ends and leaves nothing behind is asked of `runAgent`.
 */
export async function runHere(
  home: TestHome,
  words: readonly string[],
  options: Pick<RunOptions, 'environment' | 'cwd' | 'input'> = {},
): Promise<AgentRun> {
  const { cli, said } = openTestCli({
    installRoot,
    environment: { ...home.environment, ...options.environment },
    cwd: options.cwd ?? home.work,
    input: Readable.from(options.input ? [options.input] : []),
  })
  await runWords(cli, words)
  return { ...said, signal: null }
}
