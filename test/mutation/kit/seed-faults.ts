import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Change } from '../judge.ts'
import { isNoise } from '../noise.ts'
import { ownMutators } from '../own-mutators.ts'
import { readPlace, shorten } from '../place.ts'
import type { Mutator, SyntaxNode, SyntaxPath } from '../syntax.ts'
import { authorMutators, isLogLine } from './author-mutators.ts'

/** One fault in one file of a plugin. */
export interface Fault extends Change {
  /** From the plugin's folder. */
  readonly file: string
  readonly line: number
  readonly mutator: string
  /** The whole file with the fault in it. */
  readonly text: string
}

/** What authors get wrong, of Stryker's; what a compiler finds, or changes a bound by one, is left out. */
const ofStryker = new Set(['BlockStatement', 'BooleanLiteral', 'ConditionalExpression', 'LogicalOperator', 'MethodExpression'])

/** What a plugin declares; a fault there is another manifest, not another behaviour. */
const declarations = /^(plugin|config)\.ts$/

interface Tools {
  readonly mutators: readonly Mutator[]
  /** Gives every node of a file. */
  walk(filename: string, code: string): Promise<readonly SyntaxPath[]>
  print(node: SyntaxNode): string
}

/** Lists the faults of a plugin in the order in which a sample of the seed takes them: of each kind one, then of each the next. */
export async function openSeeding(): Promise<(folder: string, name: string, seed: number) => Promise<readonly Fault[]>> {
  const tools = await loadTools()
  return async (folder, name, seed) => {
    const faults: Fault[] = []
    for (const file of sourceFiles(folder)) faults.push(...(await faultsIn(tools, folder, name, file)))
    return takeTurns(faults, seed)
  }
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test|\.gen|\.d)\.ts$/.test(file) && !declarations.test(file))
    .map((file) => join('src', file))
    .sort()
}

async function faultsIn(tools: Tools, folder: string, name: string, file: string): Promise<readonly Fault[]> {
  const code = readFileSync(join(folder, file), 'utf8')
  const found: Fault[] = []
  for (const path of await tools.walk(join(folder, file), code)) {
    const { start, end, loc } = path.node
    if (typeof start !== 'number' || typeof end !== 'number') continue
    for (const mutator of tools.mutators) {
      const isWanted = mutator.name === 'LeakedSettings' ? isLogLine(path) : !isNoise(path)
      if (!isWanted) continue
      for (const node of mutator.mutate(path)) {
        const replacement = tools.print(node)
        const { where, original } = readPlace(path)
        const text = `${code.slice(0, start)}${wrap(path, node, replacement)}${code.slice(end)}`
        const line = loc?.start.line ?? 0
        found.push({ where: `${name}/${where}`, original, replacement: shorten(replacement), file, line, mutator: mutator.name, text })
      }
    }
  }
  return found
}

/** An expression keeps together, except where a statement would begin with a bracket and become part of the line before. */
function wrap({ parentPath }: SyntaxPath, { type }: SyntaxNode, text: string): string {
  const isWhole = parentPath?.node.type === 'ExpressionStatement' || /Statement|Element|RegExp|SwitchCase/.test(type)
  return isWhole ? text : `(${text})`
}

/** The same fault has the same place in the order of a seed wherever it moves. */
function takeTurns(faults: readonly Fault[], seed: number): readonly Fault[] {
  const hashOf = ({ where, original, replacement, mutator }: Fault): string =>
    createHash('sha256').update([seed, where, original, replacement, mutator].join('\n')).digest('hex')
  const sorted = faults.map((fault) => ({ fault, hash: hashOf(fault) })).sort((one, other) => (one.hash < other.hash ? -1 : 1))
  const rounds = new Map<string, number>()
  return sorted
    .map(({ fault }, index) => {
      const round = rounds.get(fault.mutator) ?? 0
      rounds.set(fault.mutator, round + 1)
      return { fault, round, index }
    })
    .sort((one, other) => one.round - other.round || one.index - other.index)
    .map(({ fault }) => fault)
}

/** Stryker parses and prints with Babel; both come from where it has them. The version is pinned. */
async function loadTools(): Promise<Tools> {
  const core = createRequire(createRequire(import.meta.url).resolve('@stryker-mutator/core'))
  const entry = core.resolve('@stryker-mutator/instrumenter')
  const near = createRequire(entry)
  const load = async (file: string): Promise<unknown> => await import(pathToFileURL(join(entry, '..', file)).href)
  const { parseTS } = (await load('parsers/ts-parser.js')) as { parseTS(code: string, file: string): Promise<{ readonly root: unknown }> }
  const { isTypeNode, isImportDeclaration } = (await load('util/syntax-helpers.js')) as Readonly<Record<string, (path: unknown) => boolean>>
  const { allMutators } = (await load('mutators/mutate.js')) as { readonly allMutators: readonly Mutator[] }
  const babel = near('@babel/core') as Babel
  const { default: generate } = near('@babel/generator') as { default(node: SyntaxNode, options: object): { readonly code: string } }
  return {
    mutators: [...allMutators.filter(({ name }) => ofStryker.has(name)), ...ownMutators, ...authorMutators],
    walk: async (filename, code) => {
      const { root } = await parseTS(code, filename)
      const { ast } = new babel.File({ filename }, { code, ast: root })
      const paths: SyntaxPath[] = []
      babel.traverse(ast, {
        enter: (path) => {
          if (isTypeNode?.(path) || isImportDeclaration?.(path)) path.skip()
          else paths.push(path)
        },
      })
      return paths
    },
    print: (node) => generate(node, { comments: false }).code,
  }
}

interface Babel {
  readonly File: new (options: object, parsed: object) => { readonly ast: unknown }
  traverse(ast: unknown, visitor: { enter(path: SyntaxPath & { skip(): void }): void }): void
}
