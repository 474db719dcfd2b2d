import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { CheckReport, RuleResult } from '@agent/plugin-sdk/testing'
import { type Cli, paint } from '../../console/cli.ts'
import { runKit } from './run-kit.ts'

export interface CheckOptions {
  readonly json?: true
  readonly junit?: string
}

/** Tries a plugin by every rule and says what became of each; exit code 1 when one does not hold. */
export async function checkPlugin(cli: Cli, folder: string, { json, junit: file }: CheckOptions): Promise<void> {
  const { installRoot, environment, signal } = cli
  const dir = resolve(cli.cwd, folder)
  const told = new Map<string, string>()
  const onResult = json ? undefined : (result: RuleResult) => printResult(cli, result, told)
  const { report, junit } = await runKit({ installRoot, dir, environment, signal, ...(onResult ? { onResult } : {}) })
  if (file !== undefined) writeReport(resolve(cli.cwd, file), junit)
  if (!report.passed) cli.exit(1)
  if (json) cli.json(report)
  else printSummary(cli, report)
}

function writeReport(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const marks = { passed: ['✓', 'ok'], failed: ['✗', 'FAILED'], skipped: ['-', 'skipped'] } as const
const colours = { passed: 'green', failed: 'red', skipped: 'dim' } as const

/** One line for each rule, and what is wrong below it: in full where it is new, and then by the rule where it stands. */
export function printResult(
  cli: Pick<Cli, 'out' | 'colour' | 'terminal'>,
  { status, rule, title, entry, place, problem }: RuleResult,
  told: Map<string, string>,
): void {
  const [sign, word] = marks[status]
  const mark = cli.terminal ? sign : word.padEnd(7)
  const where = [entry, place].filter(Boolean).join(', ')
  cli.out(`${paint(cli, colours[status], mark)} ${rule}: ${title}${where === '' ? '' : paint(cli, 'dim', ` (${where})`)}`)
  if (problem === undefined) return
  const before = told.get(problem)
  told.set(problem, before ?? rule)
  cli.out(`    ${before === undefined ? problem.replaceAll('\n', '\n    ') : `the same as above, at ${before}`}`)
}

/** How many rules hold, in words. */
export function describeOutcome({ rules, passed }: Pick<CheckReport, 'rules' | 'passed'>): string {
  const count = (wanted: RuleResult['status']): number => rules.filter(({ status }) => status === wanted).length
  if (!passed) return `${rules.length - count('passed')} of ${rules.length} rules do not hold`
  return count('skipped') === 0
    ? `all ${rules.length} rules hold`
    : `${count('passed')} rules hold, and ${count('skipped')} could not be tried`
}

function printSummary(cli: Cli, report: CheckReport): void {
  const { plugin, dir, notes, quality } = report
  for (const note of notes) cli.out(`Note: ${note}`)
  const missed = quality.rules.filter(({ status }) => status === 'missed')
  const next = missed.find(({ tier }) => tier === missed[0]?.tier)
  const hint = next ? `; next: ${next.rule}` : ''
  cli.out(`${plugin ?? dir}: ${describeOutcome(report)}.`)
  cli.out(`Quality: ${quality.tier}${hint}.`)
}
