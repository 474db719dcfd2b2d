import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { linkSignals } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { formatTable } from '../../host/src/cli/console/cli.ts'
import { type FakeModel, startFakeModel } from './fake-model.ts'
import type { Bench, Figure, Row } from './figure.ts'
import { figures } from './figures.ts'
import { measureAgain } from './measure-again.ts'
import { judgeRows, readMisses, type Verdict } from './misses.ts'

/** Nothing is measured for longer than this; the figures after it are measured all the same. */
const limitMs = 5 * 60_000

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, json: { type: 'boolean' }, 'without-clock': { type: 'boolean' } },
})
process.exitCode = await run({ only: values.only ?? [], json: values.json === true, clock: values['without-clock'] !== true })

async function run({ only, json, clock }: { only: readonly string[]; json: boolean; clock: boolean }): Promise<number> {
  const chosen = figures.filter(({ name, onlyByName }) => (only.length === 0 ? !onlyByName : only.includes(name)))
  if (chosen.length === 0) {
    console.error(`There is no figure ${only.join(', ')}. There are: ${figures.map(({ name }) => name).join(', ')}`)
    return 2
  }
  const misses = readMisses(process.cwd())
  const judge = (rows: readonly Row[]): Verdict => judgeRows(clock ? rows : rows.filter(({ budget }) => !isByTheClock(budget)), misses)
  const rows = await measureAll(chosen, (found) => judge(found).unexplained.length > 0)
  const { unexplained, explained, removable } = judge(rows)
  if (json) console.log(JSON.stringify({ rows, missed: unexplained.map(({ figure }) => figure) }, null, 2))
  else print(rows)
  for (const { row, miss } of explained) console.error(`${row.figure} is missed as listed: ${miss.reason}`)
  for (const { figure } of removable) console.error(`${figure} meets its budget: its line in test/bench/misses.yaml can be removed.`)
  for (const { figure } of unexplained) console.error(`${figure} misses its budget by more than a line of test/bench/misses.yaml excuses.`)
  return unexplained.length > 0 ? 1 : 0
}

/** Whether a budget is one of time or of how much a second, which mean nothing on a busy machine. */
function isByTheClock(budget: string): boolean {
  return /(?:ms|\/s|µs)\b/.test(budget)
}

function print(rows: readonly Row[]): void {
  const lines = rows.map(({ figure, budget, floor, value, ok }) => [figure, budget, floor, value, ok ? 'ok' : 'missed'])
  console.log(formatTable([['figure', 'budget', 'floor', 'value', 'ok|missed'], ...lines]))
  for (const { figure, note } of rows) if (note) console.log(`  ${figure}: ${note}`)
}

async function measureAll(chosen: readonly Figure[], isMissed: (rows: readonly Row[]) => boolean): Promise<readonly Row[]> {
  const stop = new AbortController()
  const onSignal = (): void => stop.abort(new Error('interrupted'))
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  const folder = mkdtempSync(join(tmpdir(), 'agent-bench-'))
  let model: Promise<FakeModel> | undefined
  const bench: Bench = {
    root: process.cwd(),
    folder,
    signal: stop.signal,
    model: () => {
      model ??= startFakeModel(bench)
      return model
    },
  }
  try {
    return await measureAgain(chosen, (figure) => measureOne(figure, bench), isMissed)
  } finally {
    await (await model)?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

/** A figure that cannot be measured is missed, and does not keep the others from being measured. */
async function measureOne(figure: Figure, bench: Bench): Promise<readonly Row[]> {
  const startedAt = performance.now()
  using life = linkSignals(bench.signal)
  const limit = setTimeout(() => life.abort(new Error(`it took longer than ${limitMs / 60_000} minutes`)), limitMs)
  try {
    life.signal.throwIfAborted()
    // Nothing of an earlier measurement is in its way.
    const rows = await figure.measure({ ...bench, signal: life.signal, folder: mkdtempSync(join(bench.folder, 'figure-')) })
    // What is called off may look as if it had been quick.
    life.signal.throwIfAborted()
    return rows
  } catch (error) {
    const reason = life.signal.aborted ? life.signal.reason : error
    const note = detailOf(reason)
    return [{ figure: figure.name, budget: '', floor: '', value: 'not measured', ok: false, note }]
  } finally {
    clearTimeout(limit)
    console.error(`${figure.name} measured in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
}
