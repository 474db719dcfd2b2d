import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What lies around the code of every plugin, and under which name it is kept: npm leaves out of a package what is called `.gitignore`. */
const copied = { 'tsconfig.json': 'tsconfig.json', '.gitignore': 'gitignore', '.github/workflows/check.yml': 'check.yml' } as const

type PackageFile = Readonly<Record<string, unknown>> & { readonly scripts?: object; readonly devDependencies?: object }

/** Adds to a new plugin what its author needs and no other file speaks of: the checks of types, a package, and a check of every change. */
export async function addScaffold(scaffold: string, folder: string): Promise<readonly string[]> {
  const hasCode = existsSync(join(folder, 'src'))
  const files = Object.entries(copied).filter(([, source]) => hasCode || source !== 'tsconfig.json')
  const written: string[] = []
  for (const [name, source] of files) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await copyFile(join(scaffold, source), path)
    written.push(path)
  }
  if (hasCode) await extendPackage(join(folder, 'package.json'), await readJson(join(scaffold, 'package.json')))
  return written
}

async function extendPackage(file: string, added: PackageFile): Promise<void> {
  const own = await readJson(file)
  const sorted = Object.entries({ ...own.devDependencies, ...added.devDependencies }).sort(([one], [other]) => (one < other ? -1 : 1))
  const next = { ...own, scripts: { ...own.scripts, ...added.scripts }, devDependencies: Object.fromEntries(sorted) }
  await writeFile(file, `${JSON.stringify(next, null, 2)}\n`)
}

async function readJson(file: string): Promise<PackageFile> {
  return JSON.parse(await readFile(file, 'utf8')) as PackageFile
}
