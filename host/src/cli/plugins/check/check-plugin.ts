import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { linkSignals } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { CheckReport, RuleResult } from '@agent/plugin-sdk/testing'
import { type Cli, paint } from '../../console/cli.ts'
import { createChanges } from '../watch/changes.ts'
import { watchSources } from '../watch/watch-sources.ts'
import { readInspectPort } from './inspect-port.ts'
import { runKit } from './run-kit.ts'

export interface CheckOptions {
  readonly json?: true
  readonly junit?: string
  readonly only?: readonly string[]
  /** Shows what the plugin logs and writes. */
  readonly verbose?: boolean
  /** Again on every change. */
  readonly watch?: boolean
  /** Port on which a debugger finds the process that tries it; `true`: the usual one. */
  readonly inspect?: string | true
}

/** Tries a plugin by every rule and says what became of each; exit code 1 when one does not hold. */
export async function checkPlugin(cli: Cli, folder: string, options: CheckOptions): Promise<void> {
  const dir = resolve(cli.cwd, folder)
  if (options.watch) return await checkAgain(cli, dir, options)
  if (!(await checkOnce(cli, dir, options, cli.signal))) cli.exit(1)
}

async function checkOnce(cli: Cli, dir: string, options: CheckOptions, signal: AbortSignal): Promise<boolean> {
  const { json, junit: file, only, verbose = false } = options
  const { installRoot, environment } = cli
  const inspect = readInspectPort(options.inspect)
  const told = createCauses()
  const heard = {
    ...(json ? {} : { onResult: (result: RuleResult) => printResult(cli, result, told) }),
    // The address of the debugger is one of the lines.
    ...((verbose || inspect !== undefined) && !json ? { onLine: (line: string) => cli.out(paint(cli, 'dim', `    ${line}`)) } : {}),
  }
  const { report, junit } = await runKit({ installRoot, dir, environment, signal, verbose, inspect, ...(only ? { only } : {}), ...heard })
  if (report.rules.length === 0) throw noSuchRule(only ?? [])
  if (file !== undefined) writeReport(resolve(cli.cwd, file), junit)
  if (json) cli.json(report)
  else {
    printRepeated(cli, told)
    printSummary(cli, report, only)
  }
  return report.passed
}

/** Tries it again on every change of its sources, until Ctrl-C. */
async function checkAgain(cli: Cli, dir: string, options: CheckOptions): Promise<void> {
  const changes = createChanges()
  using _watch = watchSources(dir, changes.add)
  cli.signal.addEventListener('abort', changes.add, { once: true })
  while (!cli.signal.aborted) {
    using run = linkSignals(cli.signal)
    const done = checkOnce(cli, dir, options, run.signal).then(
      () => cli.note(`Watching ${dir}; Ctrl-C ends it.`),
      (error: unknown) => {
        if (!isAgentError(error)) throw error
        if (error.code !== 'INTERRUPTED') cli.note(`${error.message}\nWatching ${dir}; Ctrl-C ends it.`)
      },
    )
    const changed = changes.next()
    // What is wrong with this program itself ends it.
    await Promise.race([changed, done.then(() => changed)])
    run.abort(fail('INTERRUPTED'))
    await done
  }
}

function noSuchRule(only: readonly string[]): Error {
  return fail('USAGE', { problem: `No rule of this plugin is called ${only.join(' or ')}.`, try: 'agent plugins check --list-rules' })
}

function writeReport(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const marks = { passed: ['✓', 'ok'], failed: ['✗', 'FAILED'], skipped: ['-', 'skipped'] } as const
const colours = { passed: 'green', failed: 'red', skipped: 'dim' } as const

/** What is wrong, with the rule that told it first and those that say the same. */
export type Causes = Map<string, { readonly rule: string; readonly again: string[] }>

export function createCauses(): Causes {
  return new Map()
}

/** One line for each rule, and what is wrong below it in full. A cause that was told already is gathered for the end: it is one thing to mend. */
export function printResult(
  cli: Pick<Cli, 'out' | 'colour' | 'terminal'>,
  { status, rule, title, entry, place, problem, log = [] }: RuleResult,
  told: Causes,
): void {
  const [sign, word] = marks[status]
  const mark = cli.terminal ? sign : word.padEnd(7)
  const where = [entry, place].filter(Boolean).join(', ')
  const before = problem === undefined ? undefined : told.get(problem)
  if (before) return void before.again.push(where === '' ? rule : `${rule} (${where})`)
  cli.out(`${paint(cli, colours[status], mark)} ${rule}: ${title}${where === '' ? '' : paint(cli, 'dim', ` (${where})`)}`)
  for (const line of log) cli.out(paint(cli, 'dim', `    ${line}`))
  if (problem === undefined) return
  told.set(problem, { rule, again: [] })
  cli.out(`    ${problem.replaceAll('\n', '\n    ')}`)
}

/** Which rules say what another one has said before them. */
export function printRepeated(cli: Pick<Cli, 'out'>, told: Causes): void {
  for (const { rule, again } of told.values()) if (again.length > 0) cli.out(`The same as ${rule}: ${again.join(', ')}.`)
}

/** How many rules hold, in words. */
export function describeOutcome({ rules, passed }: Pick<CheckReport, 'rules' | 'passed'>): string {
  const count = (wanted: RuleResult['status']): number => rules.filter(({ status }) => status === wanted).length
  if (!passed) return `${rules.length - count('passed')} of ${rules.length} rules do not hold`
  return count('skipped') === 0
    ? `all ${rules.length} rules hold`
    : `${count('passed')} rules hold, and ${count('skipped')} could not be tried`
}

function printSummary(cli: Cli, report: CheckReport, only?: readonly string[]): void {
  const { plugin, dir, notes, quality } = report
  for (const note of notes) cli.out(`Note: ${note}`)
  const missed = quality.rules.filter(({ status }) => status === 'missed')
  const next = missed.find(({ tier }) => tier === missed[0]?.tier)
  const hint = next ? `; next: ${next.rule}` : ''
  cli.out(`${plugin ?? dir}: ${describeOutcome(report)}.`)
  // A part of the rules says nothing about the whole.
  if (only) return
  cli.out(`Quality: ${quality.tier}${hint}.`)
}
