import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { type Choice, choosing, formatPosition } from './choose.ts'
import type { Tried } from './judge.ts'
import { ownMutators } from './own-mutators.ts'
import { shorten } from './place.ts'
import type { Mutator } from './syntax.ts'

/** Literals of text are words for people, or a name that the types hold; patterns are changed by a mutator of ours. */
const excludedMutations = ['StringLiteral', 'Regex']

/** Measured over the six areas. */
const changesPerLine = 1

/** The first run asks every test which lines it reaches; on a busy machine that takes long. */
const dryRunTimeoutMinutes = 90

export interface TryOptions {
  readonly copy: string
  /** A folder or file, relative to the copy. */
  readonly path: string
  /** The folder whose tests are asked first. */
  readonly near: string
  /** Asks no other tests: much faster, and the share noticed can only be greater with all of them. */
  readonly nearOnly: boolean
  readonly seed: number
  /** How many changes are tried, about; all of them when it is missing. */
  readonly sample: number | undefined
  readonly concurrency: number
}

/** Makes the chosen changes in the copy one at a time and runs the tests near each; those that none of them notices meet all others. */
export type TryPart = (options: TryOptions) => Promise<readonly Tried[]>

interface Result extends Tried {
  /** The file and the place in it. */
  readonly position: string
  readonly mutator: string
}

export async function openTrying(): Promise<TryPart> {
  const mutators = await loadMutators()
  const own = [...mutators, ...ownMutators]
  return async ({ copy, path, near, nearOnly, seed, sample, concurrency }) => {
    const files = sourceFiles(copy, path)
    const lines = files.reduce((sum, file) => sum + readFileSync(join(copy, file), 'utf8').split('\n').length, 0)
    const share = sample === undefined ? 1 : sample / (lines * changesPerLine)
    process.chdir(copy)
    const ask = async (tests: string, only?: ReadonlySet<string>): Promise<readonly Result[]> => {
      const choice: Choice = { seed, share, only, chosen: new Map() }
      mutators.splice(0, mutators.length, ...own.map((mutator) => choosing(mutator, choice)))
      // Read by the settings of Vitest, which are loaded in processes that Stryker starts.
      process.env.MUTATION_TESTS = tests
      return runStryker(files, concurrency, choice)
    }
    const first = await ask(`${near}/**/*.test.ts`)
    const left = new Set(first.filter(({ noticed }) => !noticed).map(({ position }) => position))
    if (nearOnly || left.size === 0) return first
    const rest = new Map((await ask('', left)).map((each) => [keyOf(each), each]))
    return first.map((each) => (each.noticed ? each : (rest.get(keyOf(each)) ?? each)))
  }
}

function keyOf({ position, mutator, replacement }: Result): string {
  return [position, mutator, replacement].join('\n')
}

async function runStryker(files: readonly string[], concurrency: number, { chosen }: Choice): Promise<readonly Result[]> {
  const results = await new Stryker({
    inPlace: true,
    tsconfigFile: 'none.json',
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: true },
    mutate: [...files],
    mutator: { plugins: null, excludedMutations: [...excludedMutations] },
    coverageAnalysis: 'perTest',
    checkers: [],
    reporters: [],
    concurrency,
    timeoutMS: 10_000,
    dryRunTimeoutMinutes,
    logLevel: 'error',
    allowEmpty: true,
    disableTypeChecks: false,
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest()
  return results
    .filter(({ status }) => status !== 'Ignored')
    .map(({ fileName, location, status, replacement = '', mutatorName }) => {
      const position = formatPosition(fileName, location)
      const place = chosen.get(position)
      if (!place) throw new Error(`No place is known of ${mutatorName} at ${position}`)
      return {
        ...{ ...place, position, mutator: mutatorName, replacement: shorten(replacement), line: location.start.line },
        noticed: status !== 'Survived' && status !== 'NoCoverage',
        late: status === 'Timeout',
      }
    })
}

/** Stryker has no door for mutators of others: its list is changed in place. The version is pinned. */
async function loadMutators(): Promise<Mutator[]> {
  const core = createRequire(createRequire(import.meta.url).resolve('@stryker-mutator/core'))
  const file = join(core.resolve('@stryker-mutator/instrumenter'), '../mutators/mutate.js')
  const { allMutators } = (await import(pathToFileURL(file).href)) as { allMutators: Mutator[] }
  return allMutators
}

function sourceFiles(copy: string, path: string): readonly string[] {
  if (statSync(join(copy, path)).isFile()) return [path]
  const names = readdirSync(join(copy, path), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /(?<!\.test|\.gen|\.d)\.ts$/.test(name) && !/(^|\/)testing\//.test(name)).map((name) => join(path, name))
}
