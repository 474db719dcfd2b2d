import { spawn } from 'node:child_process'
import { type Clock, type CommandSandbox, type PreparedCommand, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { commandOf } from '#jobs/script-command.ts'
import { killGroup } from '#kernel/kill-group.ts'
import type { CronJob, JobScript } from '#store/jobs.ts'
import type { JobEnd } from './run-job.ts'

export interface RunScriptOptions {
  readonly commandSandboxes: { own(): Pick<CommandSandbox, 'prepare'> }
  /** The folder that it starts in. */
  readonly workspace: () => string
  readonly clock: Clock
}

/** What is longer is cut. */
const mostOutput = 50_000
const mostProblem = 1_000

/** Runs the script of a job, in the sandbox and with the environment of commands. What it prints is the answer. */
export async function runScript(
  { commandSandboxes, workspace, clock }: RunScriptOptions,
  job: CronJob & { readonly script: JobScript },
  signal: AbortSignal,
): Promise<JobEnd> {
  const { script, timeoutSeconds } = job
  const nothing = { output: '', session: null, retryable: false }
  try {
    const folder = workspace()
    const prepared = await commandSandboxes.own().prepare({ session: job.id, workspace: folder, argv: commandOf(script) })
    const limit = { clock, signal, ms: timeoutSeconds * 1000, what: `The script ${script.name}` }
    const { code, killedBy, output, problem } = await withTimeLimit(limit, (own) => follow(prepared, folder, own))
    if (code === 0) return { ...nothing, output: output.trimEnd(), error: null }
    const end = killedBy === null ? `ended with exit code ${code}` : `was ended by ${killedBy}`
    const words = problem.trim() === '' ? end : `${end}: ${problem.trim()}`
    return { ...nothing, output: output.trimEnd(), error: toWireError(fail('JOB_SCRIPT', { script: script.name, problem: words })) }
  } catch (error) {
    if (signal.aborted) return { ...nothing, error: toWireError(fail('INTERRUPTED')) }
    const coded = isAgentError(error) ? error : fail('JOB_SCRIPT', { script: script.name, problem: `cannot be run: ${detailOf(error)}` })
    return { ...nothing, error: toWireError(coded) }
  }
}

interface Ended {
  readonly code: number | null
  readonly killedBy: string | null
  readonly output: string
  /** The end of what it said of itself. */
  readonly problem: string
}

/** Starts it and waits for its end. Nothing that it has started goes on after that. */
function follow({ file, args, environment, infoPipe }: PreparedCommand, folder: string, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const pipes = Array.from({ length: Math.max(3, (infoPipe ?? 0) + 1) }, (_, at) =>
      at === 1 || at === 2 || at === infoPipe ? 'pipe' : 'ignore',
    )
    const child = spawn(file, args, { cwd: folder, env: { ...environment }, detached: true, stdio: pipes as ('pipe' | 'ignore')[] })
    const end = (): void => killGroup(child.pid)
    signal.addEventListener('abort', end, { once: true })
    let output = ''
    let problem = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(0, mostOutput)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      problem = `${problem}${text}`.slice(-mostProblem)
    })
    if (infoPipe !== null) (child.stdio[infoPipe] as NodeJS.ReadableStream | null)?.resume()
    child.once('error', reject)
    child.once('exit', end)
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', end)
      resolve({ code, killedBy, output, problem })
    })
  })
}
