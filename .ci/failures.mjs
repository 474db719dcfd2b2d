import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'

/** A reporter of Vitest that adds what failed in a run to the file AGENT_FAILURES, a line each: `.ci/run` says it once more at its end. */
export default class FailureReporter {
  onTestRunEnd(modules, unhandled) {
    const lines = modules.flatMap((module) => {
      const file = relative(process.cwd(), module.moduleId)
      const tests = [...module.children.allTests()].filter((test) => ['failed', 'skipped'].includes(test.result().state))
      // What breaks a file or a group beside its tests, as a hook after them, fails no test.
      const broken = [module, ...module.children.allSuites()].flatMap((group) => group.errors())
      return [
        ...tests.map((test) => `${file}: ${test.fullName}: ${textOf(test.result().errors?.[0]) || test.result().state}`),
        ...broken.map((error) => `${file}: ${textOf(error)}`),
      ]
    })
    lines.push(
      ...unhandled.map(
        (error) =>
          `nobody caught: ${textOf(error)} ${String(error.stack ?? '')
            .split('\n')
            .slice(1, 4)
            .join(' ')}`,
      ),
    )
    if (process.env.AGENT_FAILURES && lines.length > 0) appendFileSync(process.env.AGENT_FAILURES, `${lines.join('\n')}\n`)
  }
}

const textOf = (error) =>
  String(error?.message ?? '')
    .split('\n')[0]
    ?.slice(0, 300)
