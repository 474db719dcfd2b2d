import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clock } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'
import { partsWithCode } from '#kernel/installed/manifest-file.ts'
import { refuse } from '#kernel/package/refusals.ts'
import { createSandbox, type Sandbox } from '#kernel/sandbox/sandbox.ts'
import type { CheckedPackage } from './check-package.ts'
import { probeProgram } from './probe-program.ts'
import { type ContainedEnd, runContained } from './run-contained.ts'

const probeWithinMs = 20_000

export interface ProbeOptions {
  readonly signal: AbortSignal
  readonly clock?: Clock
  /** Used where it works. */
  readonly sandbox?: Sandbox
}

/**
 * Loads a package's code for the first time: in a child that may read its own folder and nothing else.
 * Answers what could not be tried, in sentences.
 */
export async function probePackage(
  folder: string,
  { file, manifest }: CheckedPackage,
  { signal, clock = systemClock, sandbox = createSandbox({ clock: systemClock }) }: ProbeOptions,
): Promise<readonly string[]> {
  const root = realpathSync(folder)
  const parts = partsWithCode(manifest).map(({ entry, method, spec }) => ({
    ...{ method, id: spec.id, entry, url: pathToFileURL(join(root, entry)).href },
    ...('tools' in spec && { tools: spec.tools.map((tool) => tool.name) }),
  }))
  if (parts.length === 0) return []
  // What it may read or start is not decided by loading it: its own child will see to that.
  const mayReach = manifest.permissions.fs !== undefined || manifest.permissions.run !== undefined
  const { problems, notes } = await runProbe(root, { parts, mayReach }, file.name, { signal, clock, sandbox })
  if (problems.length > 0) throw refuse(file.name, 'shape-mismatch', { problem: problems.join('; ') })
  return notes
}

interface Probed {
  readonly problems: readonly string[]
  /** What was not compared, and why. */
  readonly notes: readonly string[]
}

async function runProbe(root: string, task: unknown, name: string, { signal, clock, sandbox }: Required<ProbeOptions>): Promise<Probed> {
  const run = { root, program: probeProgram, task, ms: probeWithinMs, what: `Loading ${name}`, clock, signal }
  const end = await runContained({ ...run, level: await sandbox.level() }).catch((error: unknown) => {
    throw isAgentError(error, 'TIMED_OUT')
      ? refuse(name, 'probe-failed', { problem: `loading it took longer than ${probeWithinMs} ms` })
      : error
  })
  const probed = end.trouble === undefined ? readAnswer(end.answer) : undefined
  if (probed === undefined) throw refuse(name, 'probe-failed', { problem: describeEnd(end) })
  return probed
}

function readAnswer(answer: string): Probed | undefined {
  try {
    const { problems, notes } = JSON.parse(answer) as Partial<Record<keyof Probed, unknown>>
    return Array.isArray(problems) && Array.isArray(notes) ? { problems: problems.map(String), notes: notes.map(String) } : undefined
  } catch {
    // A plugin that ends the process says nothing.
    return undefined
  }
}

function describeEnd({ code, note, trouble }: ContainedEnd): string {
  if (trouble !== undefined) return trouble
  const line = note.split('\n').find((each) => /^\w*Error\b/.test(each))
  return line ?? (code === null ? 'the process was killed' : `the process ended with code ${code}`)
}
