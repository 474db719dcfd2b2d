// @module-tag process
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[]
}

/** What `.ci/run` adds up for a report and the exit code of the run that wrote it. */
function count(report: Report | undefined, code: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'report-'))
  try {
    const file = join(folder, 'report.json')
    if (report) writeFileSync(file, JSON.stringify(report))
    return spawnSync(process.execPath, [join(root, '.ci/count.mjs'), file, String(code)], { encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const file = (status: string, tests: number) => ({ status, assertionResults: Array.from({ length: tests }, () => ({})) })

test.each<[string, Report | undefined, number, string]>([
  ['passed tests', { numTotalTests: 3, numPassedTests: 3, testResults: [file('passed', 3)] }, 0, '3 0\n'],
  ['a skipped test counts as failed', { numTotalTests: 3, numPassedTests: 2, testResults: [file('passed', 3)] }, 0, '2 1\n'],
  [
    'a file that could not be collected counts',
    { numTotalTests: 2, numPassedTests: 2, testResults: [file('passed', 2), file('failed', 0)] },
    1,
    '2 1\n',
  ],
  ['an error outside of the tests counts', { numTotalTests: 2, numPassedTests: 2, testResults: [file('passed', 2)] }, 1, '2 1\n'],
  ['no report at all counts', undefined, 124, '0 1\n'],
])('%s', (_, report, code, line) => {
  expect(count(report, code)).toBe(line)
})
