import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginFolder } from '../../repo/plugin-folders.ts'
import { judge, type Survivor, type Tried, type Verdict } from '../judge.ts'
import { type Bench, openBench, tryable, wrapEntry } from './bench.ts'
import { declare } from './declare.ts'
import { faultsOf, nameOf } from './promises/table.ts'
import { openSeeding } from './seed-faults.ts'

export interface KitOptions {
  readonly root: string
  readonly seed: number
  /** Faults of each platform. */
  readonly sample: number
  /** Names of platforms; empty: all. */
  readonly only: readonly string[]
  /** Faults by name; empty: a sample. */
  readonly faults: readonly string[]
  /** In the source of each platform, and not in what the contract promises. */
  readonly bySource: boolean
  readonly concurrency: number
  readonly survivors: readonly Survivor[]
  readonly onPlatform: (name: string, told: KitVerdict) => void
}

export interface KitVerdict extends Verdict {
  /** Noticed by no rule of the suite, but by the compiler, which the check asks where a plugin has a `tsconfig.json`. */
  readonly byCompiler: number
  /** How many faults each rule noticed first. */
  readonly byRule: Readonly<Record<string, number>>
  readonly seconds: number
  readonly all: readonly TriedFault[]
}

interface TriedFault extends Tried {
  /** The rule that noticed it first. */
  readonly rule?: string
}

/** A fault that can be put into a bench and taken out again. */
interface Seedling extends Omit<Tried, 'noticed'> {
  /** Gives what takes it out. */
  put(bench: Bench): () => void
}

/** Faults of a platform in the order of the sample, and what prepares a bench for them. */
interface Garden {
  readonly seedlings: readonly Seedling[]
  prepare(bench: Bench): void
  /** Whether a compiler may notice what no rule does. */
  readonly compiled: boolean
}

type OpenGarden = (platform: PluginFolder) => Promise<Garden>

/** Seeds faults into copies of the bundled platforms, one at a time, and asks nothing but the check of plugins whether it notices. */
export async function tryKit(options: KitOptions): Promise<KitVerdict> {
  const temporary = mkdtempSync(join(tmpdir(), 'agent-kit-'))
  try {
    symlinkSync(join(options.root, 'node_modules'), join(temporary, 'node_modules'))
    const open = options.bySource ? await gardenOfSource(options) : gardenOfPromises(options)
    const started = performance.now()
    const all: TriedFault[] = []
    for (const platform of tryable.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
      const begun = performance.now()
      const tried = await tryPlatform(options, platform, await open(platform), temporary)
      all.push(...tried)
      const ofPlatform = options.survivors.filter(({ where }) => where.startsWith(`${platform.name}/`))
      options.onPlatform(platform.name, conclude(tried, ofPlatform, begun))
    }
    return conclude(all, options.survivors, started)
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** What the contract promises, broken between the platform and the host. */
function gardenOfPromises({ root, seed, faults }: KitOptions): OpenGarden {
  return async (platform) => {
    const chosen = new WeakMap<Bench, (fault?: string) => void>()
    const listed = faultsOf(declare(platform), platform.name, seed)
    const wanted = listed.filter((fault) => faults.length === 0 || faults.includes(nameOf(fault)))
    return {
      compiled: false,
      prepare: (bench) => {
        const choose = wrapEntry(root, bench)
        choose()
        chosen.set(bench, choose)
      },
      seedlings: wanted.map((fault) => ({
        ...{ where: `${platform.name}/${nameOf(fault)}`, original: 'as promised', replacement: fault.instead, line: 0 },
        put: (bench) => {
          chosen.get(bench)?.(nameOf(fault))
          return () => chosen.get(bench)?.()
        },
      })),
    }
  }
}

/** Steps, conditions and fields of the source. */
async function gardenOfSource({ root, seed }: KitOptions): Promise<OpenGarden> {
  const listFaults = await openSeeding()
  return async (platform) => ({
    compiled: true,
    prepare: () => undefined,
    seedlings: (await listFaults(join(root, platform.path), platform.name, seed)).map(({ file, text, mutator: _, ...about }) => ({
      ...about,
      put: ({ dir }) => {
        const place = join(dir, file)
        const before = readFileSync(place)
        writeFileSync(place, text)
        return () => writeFileSync(place, before)
      },
    })),
  })
}

function conclude(all: readonly TriedFault[], survivors: readonly Survivor[], started: number): KitVerdict {
  const byRule: Record<string, number> = {}
  for (const { rule } of all) if (rule !== undefined) byRule[rule] = (byRule[rule] ?? 0) + 1
  return { ...judge(all, survivors), all, byRule, byCompiler: byRule.types ?? 0, seconds: (performance.now() - started) / 1000 }
}

async function tryPlatform(
  options: KitOptions,
  platform: PluginFolder,
  { seedlings, prepare, compiled }: Garden,
  temporary: string,
): Promise<readonly TriedFault[]> {
  const benches = Array.from({ length: options.concurrency }, (_, number) => openBench(options.root, platform, temporary, number))
  for (const bench of benches) prepare(bench)
  await requireSound(benches[0] as Bench, platform.name)
  const compiles = compiled && !(await askCompiler(benches[0] as Bench))
  const left = [...seedlings]
  const tried: TriedFault[] = []
  let open = 0
  const work = async (bench: Bench): Promise<void> => {
    while (tried.length + open < options.sample) {
      const fault = left.shift()
      if (!fault) return
      open += 1
      const found = await tryFault(bench, fault, compiles)
      open -= 1
      if (found) tried.push(found)
    }
  }
  await Promise.all(benches.map(work))
  return tried
}

/** Rejects where the kit finds fault with the platform as it is. */
async function requireSound(bench: Bench, name: string): Promise<void> {
  const { failed, ended, passed } = await bench.ask()
  if (failed || !ended || passed === 0) {
    throw new Error(
      `${name} does not hold as it is: ${failed ? `${failed.rule} ${failed.place ?? ''}: ${failed.problem}` : 'the check did not end'}`,
    )
  }
}

const settings = {
  compilerOptions: {
    ...{ target: 'es2022', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', types: ['node'] },
    ...{ strict: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
    ...{ allowImportingTsExtensions: true, skipLibCheck: true, noEmit: true },
  },
  include: ['src'],
}

/** Whether the rule `types` does not hold, with the settings that a new plugin has. */
async function askCompiler({ dir, ask }: Bench): Promise<boolean> {
  const file = join(dir, 'tsconfig.json')
  writeFileSync(file, JSON.stringify(settings))
  const { failed } = await ask(['types'])
  rmSync(file)
  return failed?.rule === 'types'
}

/** Undefined for a change that is no plugin any more: it cannot be bundled. */
async function tryFault(bench: Bench, { put, ...about }: Seedling, compiles: boolean): Promise<TriedFault | undefined> {
  const takeOut = put(bench)
  try {
    const { failed, ended } = await bench.ask()
    if (failed && ['bundle', 'manifest'].includes(failed.rule)) return undefined
    if (failed) return { ...about, noticed: true, late: false, rule: failed.rule }
    if (!ended) return { ...about, noticed: true, late: true, rule: 'time' }
    const refused = compiles && (await askCompiler(bench))
    return { ...about, noticed: refused, late: false, ...(refused ? { rule: 'types' } : {}) }
  } finally {
    takeOut()
  }
}
