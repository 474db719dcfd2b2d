import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { ProgramTask } from './program.ts'

/** The store in a separate process, for tests that kill it or fill its disk. */
export interface Programs extends AsyncDisposable {
  /** Path of the built program, for those who start it in another way. */
  readonly file: string
  start(task: ProgramTask): ChildProcess
  /** Runs to the end; answers with what was printed and how it ended. */
  run(task: ProgramTask, wrapper?: readonly string[]): Promise<ProgramEnd>
}

export interface ProgramEnd {
  readonly output: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Builds `program.ts` where its native module can be found; removed with the handle. */
export async function buildPrograms(): Promise<Programs> {
  const installed = dirname(dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json')))
  const folder = mkdtempSync(join(installed, '.agent-store-program-'))
  const file = join(folder, 'program.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('./program.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['agent-source'],
    external: ['better-sqlite3'],
    logLevel: 'silent',
  })
  const start = (task: ProgramTask, wrapper: readonly string[] = []): ChildProcess => {
    const [command = process.execPath, ...rest] = [...wrapper, process.execPath, file, JSON.stringify(task)]
    return spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  }
  return {
    file,
    start,
    run: (task, wrapper) => endOf(start(task, wrapper)),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true })
    },
  }
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ output, code, signal }))
  })
}
