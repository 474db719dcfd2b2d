import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { WireError } from '@agent/plugin-sdk'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import type { CheckReport, RuleResult } from '@agent/plugin-sdk/testing'
import { noDebugger } from '#kernel/no-debugger.ts'
import { inspectAt } from './inspect-port.ts'

export interface Checked {
  readonly report: CheckReport
  /** The same as JUnit XML. */
  readonly junit: string
}

interface Message {
  readonly result?: RuleResult
  readonly report?: CheckReport
  readonly junit?: string
  readonly error?: WireError
}

export interface RunKitOptions {
  readonly installRoot: string
  readonly dir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Rules that are tried, where it is not all of them. */
  readonly only?: readonly string[]
  /** Adds to each result what the plugin has logged, and hands over what it writes. */
  readonly verbose?: boolean
  /** Port of a debugger, for which the process waits. */
  readonly inspect?: number | undefined
  readonly onResult?: (result: RuleResult) => void
  readonly onLine?: (line: string) => void
}

/** What a process needs to run at all; nothing of it is secret. */
const passedOn = ['PATH', 'HOME', 'SystemRoot'] as const

/** Tries a plugin in a separate process: whatever it does there, this one goes on, and nothing of it is left. */
export async function runKit(options: RunKitOptions): Promise<Checked> {
  const scratch = mkdtempSync(join(tmpdir(), 'agent-check-'))
  try {
    return await runIn(scratch, options)
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  }
}

const ownGroup = process.platform !== 'win32'

/** Ends the process with those that it has started. */
function end(child: ChildProcess): void {
  try {
    if (ownGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Starts the program that tries it. */
function startKit(scratch: string, { installRoot, dir, environment, only, verbose, inspect, onLine }: RunKitOptions): ChildProcess {
  const program = join(installRoot, 'plugin-sdk', 'bin', 'check-plugin.mjs')
  const given = Object.fromEntries(passedOn.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])))
  const env = { ...given, TMPDIR: scratch, TEMP: scratch, TMP: scratch }
  const stdio = ['ignore', onLine ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const
  const wanted = JSON.stringify({ dir, only, verbose })
  const debug = inspect === undefined ? noDebugger() : [`--inspect-wait=${inspectAt(inspect)}`]
  const child = spawn(process.execPath, [...debug, program, wanted], { stdio: [...stdio], env, detached: ownGroup })
  for (const output of [child.stdout, child.stderr]) if (onLine && output) createInterface({ input: output }).on('line', onLine)
  return child
}

async function runIn(scratch: string, options: RunKitOptions): Promise<Checked> {
  const { dir, signal, inspect, onResult } = options
  const child = startKit(scratch, options)
  const stop = (): void => end(child)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000)
  })
  let last: RuleResult | undefined
  let checked: Checked | undefined
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { result, report, junit, error } = JSON.parse(line) as Message
    // Its process would wait until the debugger lets it go.
    if (inspect !== undefined && (report || error)) end(child)
    if (error) throw fromWireError(error)
    if (report) checked = { report, junit: junit ?? '' }
    if (!result) continue
    last = result
    onResult?.(result)
  }
  await ended
  end(child)
  signal.removeEventListener('abort', stop)
  if (checked) return checked
  throw signal.aborted ? fail('INTERRUPTED') : endedEarly(dir, last, complaint)
}

function endedEarly(dir: string, last: RuleResult | undefined, complaint: string): Error {
  const during = last ? `the rule after "${last.rule}" (${last.title})` : 'the start of its check'
  return fail('PLUGIN_FAILED', { plugin: dir, during, detail: complaint.trim().split('\n').at(-1) || 'it ended the process' })
}
