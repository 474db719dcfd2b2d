import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { WireError } from '@agent/plugin-sdk'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import type { CheckReport, RuleResult } from '@agent/plugin-sdk/testing'

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
  readonly onResult?: (result: RuleResult) => void
}

/** What a process needs to run at all; nothing of it is secret. */
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'] as const

/** Tries a plugin in a process of its own: whatever it does there, this one goes on. */
export async function runKit({ installRoot, dir, environment, signal, onResult }: RunKitOptions): Promise<Checked> {
  const program = join(installRoot, 'plugin-sdk', 'bin', 'check-plugin.mjs')
  const env = Object.fromEntries(passedOn.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])))
  const child = spawn(process.execPath, [program, JSON.stringify({ dir })], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env })
  const stop = (): void => void child.kill('SIGKILL')
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
    if (error) throw fromWireError(error)
    if (report) checked = { report, junit: junit ?? '' }
    if (!result) continue
    last = result
    onResult?.(result)
  }
  await ended
  signal.removeEventListener('abort', stop)
  if (checked) return checked
  if (signal.aborted) throw fail('INTERRUPTED')
  const during = last ? `the rule after "${last.rule}" (${last.title})` : 'the start of its check'
  throw fail('PLUGIN_FAILED', { plugin: dir, during, detail: complaint.trim().split('\n').at(-1) || 'it ended the process' })
}
