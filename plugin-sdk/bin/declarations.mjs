import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const reference = /(?<=\bfrom ['"]|\bimport\(["'])(\.[^'"]*)\.ts(?=['"])/g

/** The entry points: the name under which each is exported, and its source. */
export function listEntries() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries(exports).map(([name, conditions]) => ({ name, source: join(root, conditions['agent-source']) }))
}

/** Where the declaration of a source lies below the folder of the declarations. */
export const declarationOf = (source) => source.slice(join(root, 'src').length + 1).replace(/\.ts$/, '.d.ts')

/**
 * Writes the declarations of everything that the entry points lead to, with their comments, and answers the names of the files.
 * What nobody is led to is left out: it is no concern of those who read them.
 */
export function writeDeclarations(folder) {
  runCompiler(folder)
  const wanted = new Set()
  const follow = (file) => {
    if (wanted.has(file)) return
    wanted.add(file)
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    // A comment may name a file that only its reader has.
    const isThere = (to) => existsSync(join(dirname(path), `${to}.d.ts`))
    for (const [, to] of text.matchAll(reference)) if (isThere(to)) follow(join(dirname(file), `${to}.d.ts`))
    writeFileSync(
      path,
      text.replace(reference, (name, to) => (isThere(to) ? `${to}.js` : name)),
    )
  }
  for (const { source } of listEntries()) follow(declarationOf(source))
  const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const entry of written) {
    const file = join(entry.parentPath, entry.name).slice(folder.length + 1)
    if (!wanted.has(file)) rmSync(join(folder, file))
  }
  return [...wanted].sort()
}

function runCompiler(outDir) {
  const scratch = mkdtempSync(join(tmpdir(), 'agent-declarations-'))
  try {
    const config = join(scratch, 'tsconfig.json')
    const repository = dirname(root)
    const compilerOptions = {
      ...{ noEmit: false, incremental: false, tsBuildInfoFile: null, declaration: true, emitDeclarationOnly: true },
      ...{ outDir, rootDir: join(root, 'src'), typeRoots: [join(repository, 'node_modules', '@types')] },
    }
    const files = listEntries().map(({ source }) => source)
    writeFileSync(config, JSON.stringify({ extends: join(repository, 'tsconfig.json'), compilerOptions, include: [], exclude: [], files }))
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', config], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The declarations of the SDK could not be written: ${stdout}${stderr}`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
