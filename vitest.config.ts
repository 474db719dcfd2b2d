import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['plugin-sdk/**/*.test.ts', 'host/**/*.test.ts', 'plugins/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/faults/**', 'test/bench/**'],
    // eventsource-parser publishes a `source` condition of its own, which only the transformer can load.
    server: { deps: { inline: [/eventsource-parser/, /node_modules\/@ai-sdk\//, /node_modules\/ai\//] } },
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
