import { spawn } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyCheckout } from '../../mutation/checkout.ts'
import { pluginFolders } from '../../repo/plugin-folders.ts'
import { root } from '../../repo/source-files.ts'
import { type Column, printProblems, printTable } from '../table.ts'
import { applyBreak, findBroken } from './apply-break.ts'
import { type Break, breaks } from './breaks.ts'
import { chooseShare } from './choose-share.ts'

interface Result {
  readonly name: string
  readonly seconds: number
  readonly noticed: string
  readonly problem?: string
}

/** Every break has to be noticed within the shortest run. */
const scale = '0.2'
const patienceMs = 120_000

const columns: readonly Column<Result>[] = [
  ['break', ({ name }) => name],
  ['seconds', ({ seconds }) => seconds.toFixed(0)],
  ['noticed', ({ noticed }) => noticed],
]

interface Options {
  readonly seed: number
  /** Which share of the breaks is tried; the seed says which. */
  readonly scale: number
  readonly names: readonly string[]
}

/** Breaks a copy of the product in one way after another; true when the fault runs notice each of them, and nothing without one. */
export async function runBreakages({ seed, scale: share, names }: Options): Promise<boolean> {
  const chosen = chooseShare(
    breaks.filter(({ name }) => names.length === 0 || names.some((word) => name.includes(word))),
    share,
    seed,
  )
  const copy = copyCheckout(root)
  try {
    copyBuilt(copy)
    // What does not fit any more is told before minutes are spent.
    for (const one of breaks) findBroken(copy, one)
    const results: Result[] = []
    if (names.length === 0) results.push(report(await runUnbroken(copy, seed)))
    for (const one of chosen) results.push(report(await runBroken(copy, one, seed)))
    printTable(columns, results)
    return printProblems(
      results.flatMap(({ problem }) => problem ?? []),
      'Every break was noticed.',
    )
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function report(result: Result): Result {
  console.log(
    `${result.name}: ${result.problem === undefined ? 'as it should be' : 'NOT AS IT SHOULD BE'} (${result.seconds.toFixed(0)} s)`,
  )
  return result
}

/** Only what is broken has to be built again. */
function copyBuilt(copy: string): void {
  for (const folder of ['plugin-sdk', 'host', ...pluginFolders.map(({ path }) => path)]) {
    const dist = join(folder, 'dist')
    if (existsSync(join(root, dist))) cpSync(join(root, dist), join(copy, dist), { recursive: true })
  }
}

async function runUnbroken(copy: string, seed: number): Promise<Result> {
  const { seconds, code, said } = await runFaults(copy, 'kill', seed)
  const name = 'none'
  return { name, seconds, noticed: 'nothing', ...(code === 0 ? {} : { problem: `The product is found broken as it is:\n${said}` }) }
}

async function runBroken(copy: string, one: Break, seed: number): Promise<Result> {
  const mend = applyBreak(copy, one)
  try {
    const { seconds, code, said } = await runFaults(copy, one.run, seed)
    const lines = said.split('\n').filter((line) => line.startsWith('FAILED: '))
    const line = lines.find((each) => one.noticed.test(each))
    if (code === 1 && line !== undefined) return { name: one.name, seconds, noticed: line.slice('FAILED: '.length) }
    return {
      name: one.name,
      seconds,
      noticed: '',
      problem: `"${one.name}" was not noticed by ${one.run}, which ended with ${code}:\n${said}`,
    }
  } finally {
    mend()
  }
}

interface Run {
  readonly seconds: number
  readonly code: number | null
  /** The end of what it said. */
  readonly said: string
}

function runFaults(copy: string, name: string, seed: number): Promise<Run> {
  const since = performance.now()
  const words = [join('host', 'install', 'run.mjs'), 'faults', name, '--scale', scale, '--seed', String(seed)]
  const child = spawn(process.execPath, words, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'], timeout: patienceMs })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-8000)
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ seconds: (performance.now() - since) / 1000, code, said }))
  })
}
