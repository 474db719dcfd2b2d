import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest. One that is begun last keeps one worker busy while the others have nothing left to do. */
const long = [
  'test/contract/plugins.test.ts',
  'test/contract/extension-host.test.ts',
  'host/src/cli/plugins/create/scaffolds.rules.test.ts',
  'test/e2e/plugins-install.npm.test.ts',
  'test/e2e/plugins-publish.npm.test.ts',
  'plugin-sdk/src/testing/check/examples.rules.test.ts',
  'host/src/cli/plugins/author.rules.test.ts',
  'test/e2e/plugins-story.rules.test.ts',
  'plugin-sdk/golden/golden.rules.test.ts',
  'plugin-sdk/src/testing/check/check-plugin.rules.test.ts',
  'test/e2e/plugins-author.rules.test.ts',
  'test/faults/settings/settings.test.ts',
  'test/e2e/gateway-supervision.test.ts',
  'test/e2e/sdk-packed.npm.test.ts',
  'test/spec/scenarios/model-setup.test.ts',
  'test/e2e/packed.npm.test.ts',
]

/** Begins with the longest files. A fresh checkout has no times of an earlier run, by which Vitest would order them itself. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = long.findIndex((path) => moduleId.endsWith(`/${path}`))
      return found === -1 ? long.length : found
    }
    return sorted.sort((one, other) => rank(one) - rank(other))
  }
}
