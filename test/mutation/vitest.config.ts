import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { findTaggedTests } from '../support/process-tests.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const all = ['host/src/**/*.test.ts', 'plugin-sdk/src/**/*.test.ts', 'test/guard/*.test.ts']
const { MUTATION_TESTS: some } = process.env

export default defineConfig({
  root,
  resolve: { conditions: ['agent-source'] },
  ssr: { resolve: { conditions: ['agent-source'] } },
  test: {
    isolate: false,
    setupFiles: ['test/mutation/fresh-modules.ts'],
    include: some ? [some] : all,
    exclude: [...configDefaults.exclude, ...findTaggedTests(root, 'process'), ...findTaggedTests(root, 'browser')],
    // A busy machine is slow in the first run; a change that hangs is ended by Stryker.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
