import { existsSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What we read of a finding of TypeScript: an excerpt of a file. */
interface Excerpt {
  readonly fileName?: string
  readonly pos: number
  readonly end: number
}

interface Diagnostic extends Excerpt {
  readonly reportsDeprecated?: boolean
  /** The first one is the tag that says so, where the name is declared. */
  readonly relatedInformation?: readonly Excerpt[]
}

interface Api {
  updateSnapshot(wanted: { readonly openProjects: readonly string[] }): Promise<{
    getProjects(): readonly { readonly program: { getSuggestionDiagnostics(): Promise<readonly Diagnostic[]> } }[]
  }>
  close(): Promise<void>
}

export interface DeprecatedUse {
  /** `src/tools.ts:12:5`, as the author sees the file. */
  readonly path: string
  readonly problem: string
}

export interface NameSearch {
  /** Folder of the package typescript. */
  readonly compiler: string
  /** The `tsconfig.json` by which it reads the plugin. */
  readonly config: string
  readonly dir: string
  readonly sdk: string
}

/** Where TypeScript finds names of the SDK that are deprecated, with what their tag says; undefined where this TypeScript cannot be asked. */
export async function findDeprecatedNames({ compiler, config, dir, sdk }: NameSearch): Promise<readonly DeprecatedUse[] | undefined> {
  const file = join(compiler, 'dist', 'api', 'async', 'api.js')
  if (!existsSync(file)) return undefined
  const { API } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { API: new (options: { readonly cwd: string }) => Api }
  const api = new API({ cwd: dir })
  try {
    const projects = (await api.updateSnapshot({ openProjects: [config] })).getProjects()
    const found = (await Promise.all(projects.map(({ program }) => program.getSuggestionDiagnostics()))).flat()
    const [own, declared] = [dir, sdk].map((folder) => realpathSync(folder) + sep)
    const isBelow = ({ fileName }: Excerpt, folder = ''): boolean =>
      fileName !== undefined && existsSync(fileName) && realpathSync(fileName).startsWith(folder)
    const told = found.map(async (use) => {
      const [tag] = use.relatedInformation ?? []
      if (!use.reportsDeprecated || tag === undefined || !isBelow(use, own) || !isBelow(tag, declared)) return []
      return [{ path: await placeOf(use, dir), problem: `${await readName(use)} is deprecated ${await readTag(tag)}` }]
    })
    return (await Promise.all(told)).flat()
  } finally {
    await api.close()
  }
}

async function placeOf({ fileName = '', pos }: Excerpt, dir: string): Promise<string> {
  const before = (await readFile(fileName, 'utf8')).slice(0, pos).split('\n')
  return `${relative(realpathSync(dir), realpathSync(fileName))}:${before.length}:${(before.at(-1) ?? '').length + 1}`
}

async function readExcerpt({ fileName = '', pos, end }: Excerpt): Promise<string> {
  return (await readFile(fileName, 'utf8')).slice(pos, end)
}

/** In an import the excerpt has the word before the name too. */
async function readName(use: Excerpt): Promise<string> {
  return (await readExcerpt(use)).replace(/^type\s+/, '')
}

async function readTag(tag: Excerpt): Promise<string> {
  const words = (await readExcerpt(tag)).replace(/^@deprecated/, '').replace(/\s*\n\s*\*?\s*/g, ' ')
  return words.trim().replace(/\.$/, '')
}
