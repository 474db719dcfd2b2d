import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runWords } from '../../host/src/cli/main.ts'
import type { AgentRun, RunOptions } from './run-agent.ts'
import { openTestCli } from './test-cli.ts'
import type { TestHome } from './test-home.ts'

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
