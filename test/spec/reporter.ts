import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { milestone, requirements } from './requirements.ts'
import { formatSummary, type Proof, summarize } from './summary.ts'

/** Prints which requirements the run proved. */
export default class RequirementReporter implements Reporter {
  private vitest: Vitest | undefined
  private partial = true

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const all = (await this.vitest?.globTestSpecifications()) ?? []
    this.partial = specifications.length < all.length || this.vitest?.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const proofs = modules.flatMap(readProofs)
    if (this.partial && proofs.length === 0) return
    const lines = formatSummary(summarize(requirements, proofs, milestone), { partial: this.partial })
    this.vitest?.logger.log(`\n${lines.join('\n')}\n`)
  }
}

function readProofs(module: TestModule): readonly Proof[] {
  return [...module.children.allTests()].flatMap((test) => {
    const ids = test.meta().requirements
    const { state } = test.result()
    const inverted = test.options.fails === true
    return ids && !inverted && (state === 'passed' || state === 'failed') ? [{ ids, passed: state === 'passed' }] : []
  })
}
