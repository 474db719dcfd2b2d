import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['agent-source'] },
  ssr: { resolve: { conditions: ['agent-source'] } },
  test: {
    include: ['plugin-sdk/**/*.test.ts', 'host/**/*.test.ts', 'plugins/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/bench/**'],

    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Processes, not threads: tests open native modules, change folders and are killed together with what they started.
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    allowOnly: false,
    reporters: ['default', './test/spec/reporter.ts'],
  },
})
