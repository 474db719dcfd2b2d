import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { RuleResult } from '../../../plugin-sdk/src/testing/check/rule-result.ts'

/** What `agent plugins check` is asked about a plugin. */
export interface Question {
  readonly root: string
  /** The plugin's folder. */
  readonly dir: string
  /** The world, which has no fault. */
  readonly contract: string
  readonly scratch: string
  readonly only?: readonly string[]
}

export interface Findings {
  /** The first rule that does not hold. */
  readonly failed?: RuleResult
  /** Whether it came to an end. */
  readonly ended: boolean
  /** Rules that hold. */
  readonly passed: number
}

/** Longer than any sound plugin takes on a busy machine; a plugin that hangs hangs the process that tries it. */
const longestMs = 300_000

/** What the manifest says is not what is asked here. */
const unasked = new Set(['fresh', 'version'])

/** Runs the check in a separate process, as the command does, up to the first rule that does not hold. */
export async function askKit({ root, dir, contract, scratch, only }: Question): Promise<Findings> {
  const program = join(root, 'plugin-sdk', 'bin', 'check-plugin.mjs')
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, TMPDIR: scratch }
  const wanted = JSON.stringify({ dir, contract, ...(only ? { only } : {}) })
  const child = spawn(process.execPath, [program, wanted], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env, detached: true })
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) killGroup(child.pid)
  }
  const limit = setTimeout(end, longestMs)
  let failed: RuleResult | undefined
  let passed = 0
  let ended = false
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { result, report } = JSON.parse(line) as { readonly result?: RuleResult; readonly report?: unknown }
    if (report !== undefined) ended = true
    if (result?.status === 'passed') passed += 1
    if (result?.status !== 'failed' || unasked.has(result.rule) || failed) continue
    failed = result
    end()
  }
  await closed
  clearTimeout(limit)
  // What it has started and left goes with it.
  if (child.pid !== undefined) killGroup(child.pid)
  return { ...(failed ? { failed } : {}), ended, passed }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
