import { spawn } from 'node:child_process'
import { withTimeLimit } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'

export interface StepRun {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** A program that did not do what it was started for; the message is its own reason in one line. */
export class ProgramFailure extends Error {}

/** Runs a program without a shell and gives back what it printed. Rejects with ProgramFailure, and ends the program with the signal. */
export async function runProgram(
  file: string,
  words: readonly string[],
  { cwd, environment, signal, timeoutMs }: StepRun,
): Promise<string> {
  const child = spawn(file, words, { cwd, env: { ...environment }, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  let [out, note] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (note = (note + text).slice(-20_000)))
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const limit = { clock: systemClock, signal, ms: timeoutMs, what: `${file} ${words[0] ?? ''}` }
  let code: number | null
  try {
    code = await withTimeLimit(limit, () => ended)
  } catch (error) {
    child.kill('SIGKILL')
    if (signal.aborted) throw error
    throw new ProgramFailure(isMissing(error) ? `${file} is not installed here` : detailOf(error), { cause: error })
  }
  if (code !== 0) throw new ProgramFailure(reasonOf(note || out))
  return out
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** The line in which programs say why: git's `fatal:` and `error:`, else the last one. */
function reasonOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((each) => /^(fatal|error): /.test(each)) ?? lines.at(-1) ?? 'it gave no reason'
  return line.replace(/^(fatal|error): /, '').replace(/\.$/, '')
}
