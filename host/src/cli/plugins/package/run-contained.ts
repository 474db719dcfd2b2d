import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { endTogether } from '#kernel/extension-host/end-together.ts'
import { readMemory, readPrograms } from '#kernel/extension-host/process-readings.ts'
import { formatSandboxArguments } from '#kernel/isolation/sandbox-arguments.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import type { SandboxLevel } from '#kernel/sandbox/sandbox-level.ts'
import { endWithPrograms } from './end-with-programs.ts'

export interface ContainedRun {
  /** What holds it beside the limits of Node; undefined for code that came with agent, which nothing holds. */
  readonly level: SandboxLevel | undefined
  /** Of the package: all that it sees. */
  readonly root: string
  /** A module, as text, and what it is told. */
  readonly program: string
  readonly task: unknown
  readonly what: string
  readonly ms: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface ContainedEnd {
  readonly code: number | null
  /** What it wrote on descriptor 3, and to its error output at last. */
  readonly answer: string
  readonly note: string
  /** Why it was ended, where it was. */
  readonly trouble: string | undefined
}

const longestAnswer = 65_536
const most = { bytes: 768 * 1024 * 1024, programs: 64 }
const lookEveryMs = 250

/** Runs a few lines that load the code of a package: without environment and network, in a sandbox where there is one. Nothing outlives it. */
export async function runContained({ level, root, program, task, what, ms, clock, signal }: ContainedRun): Promise<ContainedEnd> {
  const words = [
    ...noDebugger(),
    ...(level === undefined ? [] : restrictions(root)),
    '--input-type=module',
    '--eval',
    program,
    '--',
    JSON.stringify(task),
  ]
  const [file = process.execPath, ...args] = [...enterSandbox(level, root), realpathSync(process.execPath), ...words]
  const child = spawn(file, args, { cwd: root, env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'], windowsHide: true })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  let [answer, note] = ['', '']
  let trouble: string | undefined
  endTogether(child, (detail) => {
    note += `${detail}\n`
  })
  const answers = child.stdio[3] as Readable
  answers.setEncoding('utf8').on('data', (text: string) => {
    answer += text
    if (answer.length > longestAnswer) endWithPrograms(child)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    note = (note + text).slice(-longestAnswer)
  })
  const over = new AbortController()
  const watching = watch(child, clock, over.signal).then((found) => {
    trouble = found
  })
  try {
    const code = await withTimeLimit({ clock, signal, ms, what }, () => ended)
    return { code, answer, note, trouble }
  } finally {
    over.abort()
    endWithPrograms(child)
    await Promise.all([watching, ended])
  }
}

/** Ends it when it takes too much. */
async function watch(child: ChildProcess, clock: Clock, signal: AbortSignal): Promise<string | undefined> {
  const isOver = (): Promise<boolean> =>
    clock.sleep(lookEveryMs, signal).then(
      () => false,
      () => true,
    )
  while (!(await isOver())) {
    const { count, bytes } = readPrograms(child.pid ?? 0)
    const trouble =
      bytes + (readMemory(child.pid ?? 0) ?? 0) > most.bytes
        ? `it took more than ${most.bytes / 1024 / 1024} MiB of memory`
        : count > most.programs
          ? `it started more than ${most.programs} programs`
          : undefined
    if (trouble === undefined) continue
    endWithPrograms(child)
    return trouble
  }
  return undefined
}

/** The words before a program that is to run where nothing but its own folder and the system is. */
function enterSandbox(level: SandboxLevel | undefined, root: string): readonly string[] {
  if (!level?.works || level.kind !== 'bwrap') return []
  return [level.program, ...formatSandboxArguments(level, { reads: [root, realpathSync(process.execPath)], writes: [], cwd: root })]
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
