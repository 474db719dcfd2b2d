import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'
import { findSdk } from './plugin-sdk/src/build/find-sdk.ts'
import { bundleWith } from './plugin-sdk/src/build/resolve-sdk.ts'
import { LongestFirst } from './test/spec/longest-first.ts'
import { findTaggedTests } from './test/support/process-tests.ts'

const include = ['plugin-sdk/**/*.test.ts', 'host/**/*.test.ts', 'plugins/**/*.test.ts', 'test/**/*.test.ts']
const exclude = [...configDefaults.exclude, '**/dist/**']
const root = fileURLToPath(new URL('.', import.meta.url))
const processTests = findTaggedTests(root, 'process')
/** What tries whole plugins by every rule comes with the contracts: it takes minutes. */
const contractTests = processTests.filter((path) => path.startsWith('test/contract/') || path.endsWith('.rules.test.ts'))
/** What packs, publishes and installs by the real npm does too. */
const npmTests = processTests.filter((path) => path.endsWith('.npm.test.ts'))
const serverTests = findTaggedTests(root, 'server')
const browserTests = findTaggedTests(root, 'browser')

/** What the builder of plugins makes of a `*.program.ts` is made here too, in each run, because it has other files in it. */
const programs: Plugin = {
  name: 'programs',
  configureVitest: ({ experimental_defineCacheKeyGenerator: keepBy }) => keepBy(({ id }) => (isProgram(id) ? false : undefined)),
  async load(id) {
    if (!isProgram(id)) return undefined
    const { outputFiles } = await build({ entryPoints: [id], bundle: true, write: false, format: 'esm', ...bundleWith(findSdk()) })
    return outputFiles[0]?.text
  },
}
const isProgram = (id: string): boolean => id.endsWith('.program.ts')

export default defineConfig({
  plugins: [programs],
  resolve: { conditions: ['agent-source'] },
  ssr: { resolve: { conditions: ['agent-source'] } },
  test: {
    // For what hangs: on a busy machine the story of a plugin takes 28 s.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes later on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Processes, not threads: tests open native modules, change folders and are killed together with what they started.
    pool: 'forks',
    // One more than the cores, of which two are the least: a test waits for its child processes half of the time.
    maxWorkers: Math.min(6, Math.max(2, availableParallelism()) + 1),
    retry: 0,
    sequence: { sequencer: LongestFirst },
    experimental: { fsModuleCache: true },
    allowOnly: false,
    tags: [
      { name: 'process', description: 'starts processes; a file says so with "// @module-tag process"' },
      {
        name: 'server',
        description: 'walks through a whole server, or through hundreds of turns or commands; a file says so with "// @module-tag server"',
      },
      { name: 'browser', description: 'walks in a browser; a file says so with "// @module-tag browser"' },
    ],
    setupFiles: [fileURLToPath(new URL('test/support/watch-processes.ts', import.meta.url))],
    reporters: ['default', './test/spec/reporter.ts'],
    projects: [
      {
        extends: true,
        // No module keeps state (a house rule), so files share what they import: this saves a minute of processor time.
        test: {
          name: 'unit',
          isolate: false,
          include,
          exclude: [...exclude, ...processTests, ...serverTests, ...browserTests],
          provide: { startsProcesses: false },
        },
      },
      {
        extends: true,
        test: { name: 'server', isolate: false, include: [...serverTests], exclude, provide: { startsProcesses: false } },
      },
      {
        extends: true,
        test: {
          name: 'process',
          isolate: false,
          include: processTests.filter((path) => !contractTests.includes(path) && !npmTests.includes(path)),
          exclude,
          provide: { startsProcesses: true },
          globalSetup: './test/support/build-programs.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'contract',
          isolate: false,
          include: [...contractTests],
          exclude,
          provide: { startsProcesses: true },
          globalSetup: './test/support/build-programs.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'npm',
          isolate: false,
          include: [...npmTests],
          exclude,
          provide: { startsProcesses: true },
          globalSetup: './test/support/build-programs.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          isolate: false,
          include: [...browserTests],
          exclude,
          provide: { startsProcesses: true },
          globalSetup: './test/support/build-programs.ts',
          // Two pages that are drawn at once wait for each other longer than a person would.
          fileParallelism: false,
        },
      },
    ],
  },
})
