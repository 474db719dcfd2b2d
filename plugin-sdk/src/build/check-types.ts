import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { readDeprecations } from '../kinds/deprecated/deprecations.ts'
import { findDeprecatedNames, type NameSearch } from './deprecated/find-names.ts'
import type { SdkFolder } from './find-sdk.ts'
import { readEntries } from './resolve-sdk.ts'

/** Something that the compiler of types says about a plugin. */
export interface TypeProblem {
  /** `src/tools.ts:12:5`, as the author sees the file. */
  readonly path: string
  readonly problem: string
}

/** What the compiler found, or why it was not asked. */
export interface CheckedTypes {
  readonly problems: readonly TypeProblem[]
  readonly untried?: string
  /** What the author should know and what breaks nothing: deprecated names that the plugin uses. */
  readonly notices?: readonly string[]
}

/** Whether a plugin asks for its types to be checked: its sources are then what its `tsconfig.json` names. */
export function wantsTypes(dir: string): boolean {
  return existsSync(join(dir, 'tsconfig.json'))
}

/**
 * Lets TypeScript look at the sources of a plugin, by its own `tsconfig.json`; nothing is written. This SDK stands in for every import of it, so that
 * nothing needs to be installed but TypeScript, which is taken from the plugin or from beside the SDK. Tests are the author's own matter.
 */
export async function checkTypes(dir: string, sdk: SdkFolder): Promise<CheckedTypes> {
  const compiler = findPackage('typescript', [dir, sdk.root])
  if (compiler === undefined) {
    return { problems: [], untried: `TypeScript is not installed, so that types are not checked: run npm install in ${dir}` }
  }
  const scratch = await mkdtemp(join(tmpdir(), 'agent-types-'))
  try {
    const config = join(scratch, 'tsconfig.json')
    await writeFile(config, JSON.stringify(await standIn(dir, sdk)))
    const told = await runCompiler(join(compiler, 'bin', 'tsc'), config, dir)
    const problems = parseProblems(told, dir, config).filter(isNoTest)
    return problems.length > 0 ? { problems } : { problems, ...(await noticeNames({ compiler, config, dir, sdk: sdk.root })) }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** What tests use is the matter of their author. */
function isNoTest({ path }: TypeProblem): boolean {
  return !/\.test\.[cm]?[jt]sx?:/.test(path)
}

async function noticeNames(search: NameSearch): Promise<Pick<CheckedTypes, 'notices'>> {
  // Where no name is deprecated there is nothing to ask for.
  if ((await readDeprecations(search.sdk)).names.length === 0) return {}
  const found = await findDeprecatedNames(search)
  if (found === undefined) return { notices: ['Deprecated names were not looked for, which needs TypeScript 7.'] }
  return { notices: found.filter(isNoTest).map(({ path, problem }) => `${path}: ${problem}.`) }
}

/** The problems as one text, the first of many. */
export function describeTypeProblems(problems: readonly TypeProblem[], most = 10): string {
  const lines = problems.slice(0, most).map(({ path, problem }) => `${path}: ${problem}`)
  return [...lines, ...(problems.length > most ? [`and ${problems.length - most} more`] : [])].join('\n')
}

/** The settings of the author, with what is installed nowhere put where the compiler finds it. */
async function standIn(dir: string, sdk: SdkFolder): Promise<object> {
  const own = join(dir, 'tsconfig.json')
  const text = await readFile(own, 'utf8')
  const zod = findPackage('zod', [dir, sdk.root])
  const zodPaths = zod === undefined ? {} : { zod: [join(zod, 'index.d.ts')], 'zod/*': [join(zod, '*', 'index.d.ts')] }
  const paths = { ...zodPaths, ...Object.fromEntries([...readEntries(sdk, typesOf(sdk))].map(([name, file]) => [name, [file]])) }
  const typeRoots = [...above(dir), ...above(sdk.root)].map((folder) => join(folder, 'node_modules', '@types')).filter(existsSync)
  return {
    extends: own,
    compilerOptions: {
      ...{
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        composite: false,
        incremental: false,
        tsBuildInfoFile: null,
      },
      paths,
      ...(text.includes('"typeRoots"') ? {} : { typeRoots }),
    },
    ...(/"(?:include|files|extends)"/.test(text) ? {} : { include: [join(dir, '**', '*')], exclude: [join(dir, 'dist')] }),
  }
}

/** In a checkout whose SDK is not built the sources serve. */
const typesOf = ({ root }: SdkFolder): string => (existsSync(join(root, 'dist', 'types')) ? 'types' : 'agent-source')

/** The folder of a package that is installed in one of these folders or above it. */
function findPackage(name: string, folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    for (const each of above(folder)) {
      const found = join(each, 'node_modules', name)
      if (existsSync(join(found, 'package.json'))) return found
    }
  }
  return undefined
}

function above(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...above(parent)]
}

const longestMs = 120_000

/** What the compiler prints; it ends with a code other than 0 where it has found something. */
async function runCompiler(program: string, config: string, dir: string): Promise<string> {
  const child = spawn(process.execPath, [program, '-p', config, '--pretty', 'false'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestMs,
  })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (told += text))
  const code = await new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  return code === 0 ? '' : told.trim() || `error TS0: the compiler ended with ${code ?? 'a signal'}`
}

/** Lines such as `src/tools.ts(12,5): error TS2322: Type …`, with more about it indented below. What is wrong outside of the folder is not the author's. */
function parseProblems(told: string, dir: string, config: string): readonly TypeProblem[] {
  const problems: TypeProblem[] = []
  let foreign = false
  for (const line of told.split('\n')) {
    const [, file, row, column, code, text = ''] = /^(?:(.+)\((\d+),(\d+)\): )?error (TS\d+): (.*)$/.exec(line) ?? []
    const last = problems.at(-1)
    if (code === undefined) {
      if (last && !foreign && line.startsWith(' ')) problems[problems.length - 1] = { ...last, problem: `${last.problem}\n${line}` }
      continue
    }
    const inside = file === undefined || file === config ? 'tsconfig.json' : relative(dir, join(dir, file))
    foreign = inside.startsWith('..')
    if (foreign) continue
    problems.push({ path: row === undefined ? inside : `${inside}:${row}:${column}`, problem: `${text.replace(/\.$/, '')} (${code})` })
  }
  return problems
}
