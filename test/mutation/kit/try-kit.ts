import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasFile, type PluginFolder, pluginFolders } from '../../repo/plugin-folders.ts'
import { judge, type Survivor, type Tried, type Verdict } from '../judge.ts'
import { askKit } from './ask-kit.ts'
import { type Fault, openSeeding } from './seed-faults.ts'

export interface KitOptions {
  readonly root: string
  readonly seed: number
  /** Faults of each platform. */
  readonly sample: number
  /** Names of platforms; empty: all. */
  readonly only: readonly string[]
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

/** The platforms that can be tried. */
export const tryable: readonly PluginFolder[] = pluginFolders.filter(
  (folder) => folder.kind === 'platforms' && hasFile(folder, 'test/contract.ts'),
)

/** Seeds faults into copies of the bundled platforms, one at a time, and asks nothing but the check of plugins whether it notices. */
export async function tryKit(options: KitOptions): Promise<KitVerdict> {
  const temporary = mkdtempSync(join(tmpdir(), 'agent-kit-'))
  try {
    symlinkSync(join(options.root, 'node_modules'), join(temporary, 'node_modules'))
    const listFaults = await openSeeding()
    const started = performance.now()
    const all: TriedFault[] = []
    for (const platform of tryable.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
      const begun = performance.now()
      const faults = await listFaults(join(options.root, platform.path), platform.name, options.seed)
      const tried = await tryPlatform(options, platform, faults, temporary)
      all.push(...tried)
      const ofPlatform = options.survivors.filter(({ where }) => where.startsWith(`${platform.name}/`))
      options.onPlatform(platform.name, conclude(tried, ofPlatform, begun))
    }
    return conclude(all, options.survivors, started)
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}

function conclude(all: readonly TriedFault[], survivors: readonly Survivor[], started: number): KitVerdict {
  const byRule: Record<string, number> = {}
  for (const { rule } of all) if (rule !== undefined) byRule[rule] = (byRule[rule] ?? 0) + 1
  return { ...judge(all, survivors), all, byRule, byCompiler: byRule.types ?? 0, seconds: (performance.now() - started) / 1000 }
}

/** A copy of a platform in which faults are seeded. */
interface Bench {
  readonly dir: string
  ask(only?: readonly string[]): ReturnType<typeof askKit>
}

function openBench({ root }: KitOptions, { name, path }: PluginFolder, temporary: string, number: number): Bench {
  const place = join(temporary, String(number))
  const dir = join(place, name)
  const scratch = join(place, 'scratch')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  for (const part of ['src', 'agent.plugin.json', 'package.json', 'README.md'].filter((each) => existsSync(join(root, path, each)))) {
    cpSync(join(root, path, part), join(dir, part), { recursive: true, filter: (file) => !file.endsWith('.test.ts') })
  }
  const contract = join(root, path, 'test', 'contract.ts')
  return { dir, ask: (only) => askKit({ root, dir, contract, scratch, ...(only ? { only } : {}) }) }
}

async function tryPlatform(
  options: KitOptions,
  platform: PluginFolder,
  faults: readonly Fault[],
  temporary: string,
): Promise<readonly TriedFault[]> {
  const benches = Array.from({ length: options.concurrency }, (_, number) => openBench(options, platform, temporary, number))
  const compiles = await requireSound(benches[0] as Bench, platform.name)
  const left = [...faults]
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

/** Rejects where the kit finds fault with the platform as it is; answers whether a compiler can be asked too. */
async function requireSound(bench: Bench, name: string): Promise<boolean> {
  const { failed, ended, passed } = await bench.ask()
  if (failed || !ended || passed === 0) {
    throw new Error(
      `${name} does not hold as it is: ${failed ? `${failed.rule} ${failed.place ?? ''}: ${failed.problem}` : 'the check did not end'}`,
    )
  }
  return !(await askCompiler(bench))
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
async function tryFault(bench: Bench, fault: Fault, compiles: boolean): Promise<TriedFault | undefined> {
  const file = join(bench.dir, fault.file)
  const { text, where, original, replacement, line } = fault
  const about = { where, original, replacement, line }
  const before = readFileSync(file)
  writeFileSync(file, text)
  try {
    const { failed, ended } = await bench.ask()
    if (failed && ['bundle', 'manifest'].includes(failed.rule)) return undefined
    if (failed) return { ...about, noticed: true, late: false, rule: failed.rule }
    if (!ended) return { ...about, noticed: true, late: true, rule: 'time' }
    const refused = compiles && (await askCompiler(bench))
    return { ...about, noticed: refused, late: false, ...(refused ? { rule: 'types' } : {}) }
  } finally {
    writeFileSync(file, before)
  }
}
