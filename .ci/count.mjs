import { readFileSync } from 'node:fs'

const [file = '', code = '1'] = process.argv.slice(2)

/** Passed and failed of one Vitest report: what did not pass failed, and so did a file that could not be collected. */
function count(report) {
  const broken = report.testResults.filter((result) => result.status === 'failed' && result.assertionResults.length === 0).length
  return { passed: report.numPassedTests, failed: report.numTotalTests - report.numPassedTests + broken }
}

function read() {
  try {
    return count(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    process.stderr.write(`No report of the tests: ${error.message}\n`)
    return { passed: 0, failed: 1 }
  }
}

const { passed, failed } = read()
process.stdout.write(`${passed} ${failed === 0 && code !== '0' ? 1 : failed}\n`)
