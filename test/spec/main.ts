import { readFileSync } from 'node:fs'
import { milestone, requirements } from './requirements.ts'
import { formatSummary, type Proof, summarize } from './summary.ts'

/** Prints which requirements were proved by the test runs that wrote their proofs to a file; ends with 1 where one is due that none proved. */
const [, , file] = process.argv
if (file === undefined) {
  process.stderr.write('Say which file holds the proofs: AGENT_PROOFS=<file> npm test, then npm run requirements -- <file>.\n')
  process.exitCode = 2
} else {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const summaries = summarize(
    requirements,
    lines.flatMap((line) => JSON.parse(line) as readonly Proof[]),
    milestone,
  )
  process.stdout.write(`${formatSummary(summaries).join('\n')}\n`)
  process.exitCode = summaries.some(({ due }) => due.length > 0) ? 1 : 0
}
