import { appendFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { milestone, requirements } from './requirements.ts'
import { formatSkipped, formatSummary, type Proof, summarize } from './summary.ts'

/**
 * Prints why tests were skipped and, at the end of a whole run, which requirements it proved.
 * A run of a part adds its proofs to the file AGENT_PROOFS, one list a line, and `npm run requirements -- <file>` sums them up.
 */
export default class RequirementReporter implements Reporter {
  private vitest: Vitest | undefined
  private whole = false

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const { testNamePattern, project, tagsFilter } = this.vitest?.config ?? {}
    const filters = [testNamePattern ?? [], project ?? [], tagsFilter ?? []].flat()
    const all = (await this.vitest?.globTestSpecifications()) ?? []
    this.whole = filters.length === 0 && specifications.length === all.length
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const skipped = formatSkipped(tests.filter((test) => test.result().state === 'skipped').map((test) => test.meta().missing))
    if (skipped.length > 0) this.vitest?.logger.log(`\n${skipped.join('\n')}`)
    const proofs = tests.flatMap(readProof)
    if (process.env.AGENT_PROOFS) appendFileSync(process.env.AGENT_PROOFS, `${JSON.stringify(proofs)}\n`)
    if (!this.whole) return
    const summaries = summarize(requirements, proofs, milestone)
    this.vitest?.logger.log(`\n${formatSummary(summaries).join('\n')}\n`)
    if (process.env.CI && summaries.some(({ due }) => due.length > 0)) process.exitCode = 1
  }
}

function readProof(test: TestCase): readonly Proof[] {
  const { requirements: ids, missing } = test.meta()
  const { state } = test.result()
  return ids === undefined || state === 'pending' ? [] : [{ ids, state, missing }]
}
