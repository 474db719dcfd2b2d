import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { systemClock } from '#kernel/clock.ts'
import { partsWithCode } from '#kernel/installed/manifest-file.ts'
import { formatSandboxArguments } from '#kernel/isolation/sandbox-arguments.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import { createSandbox, type Sandbox } from '#kernel/sandbox/sandbox.ts'
import type { SandboxLevel } from '#kernel/sandbox/sandbox-level.ts'
import type { CheckedPackage } from './check-package.ts'
import { probeProgram } from './probe-program.ts'
import { refuse } from './refusals.ts'

const probeWithinMs = 20_000
const longestAnswer = 65_536

export interface ProbeOptions {
  readonly signal: AbortSignal
  readonly clock?: Clock
  /** Used where it works. */
  readonly sandbox?: Sandbox
}

/**
 * Loads a package's code for the first time: in a child without environment and network that may read its own folder and nothing else.
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
  const words = [...noDebugger(), ...restrictions(root), '--input-type=module', '--eval', probeProgram, '--', JSON.stringify(task)]
  const [file = process.execPath, ...args] = [...enterSandbox(await sandbox.level(), root), realpathSync(process.execPath), ...words]
  const child = spawn(file, args, { cwd: root, env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'], windowsHide: true })
  const kill = (): void => void child.kill('SIGKILL')
  let [answer, note] = ['', '']
  const answers = child.stdio[3] as Readable
  answers.setEncoding('utf8').on('data', (text: string) => {
    answer += text
    if (answer.length > longestAnswer) kill()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    note = (note + text).slice(-longestAnswer)
  })
  const limit = { clock, signal, ms: probeWithinMs, what: `Loading ${name}` }
  const code = await withTimeLimit(limit, () => endOf(child)).catch((error: unknown) => {
    kill()
    throw isAgentError(error, 'TIMED_OUT')
      ? refuse(name, 'probe-failed', { problem: `loading it took longer than ${probeWithinMs} ms` })
      : error
  })
  const probed = readAnswer(answer)
  if (probed === undefined) throw refuse(name, 'probe-failed', { problem: describeEnd(code, note) })
  return probed
}

/** The words before a program that is to run where nothing but its own folder and the system is. */
function enterSandbox(level: SandboxLevel, root: string): readonly string[] {
  if (!level.works || level.kind !== 'bwrap') return []
  return [level.program, ...formatSandboxArguments(level, { reads: [root, realpathSync(process.execPath)], writes: [], cwd: root })]
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
}

/** The names of the flags differ between versions of Node. */
function restrictions(root: string): readonly string[] {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'
  return [
    flag,
    `--allow-fs-read=${join(root, '*')}`,
    '--no-warnings',
    '--max-old-space-size=256',
    '--disallow-code-generation-from-strings',
  ]
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

function describeEnd(code: number | null, note: string): string {
  const line = note.split('\n').find((each) => /^\w*Error\b/.test(each))
  return line ?? (code === null ? 'the process was killed' : `the process ended with code ${code}`)
}
