import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { externalPackages } from './programs.mjs'

/** The pages of `host/docs/reference`, of the contracts and of the plugins, from the program's own tables; answers the files that were stale. */
export async function writeReference(root, { check }) {
  const { describeProgram } = await loadProgram(root)
  const folders = ['host', 'plugin-sdk'].map((part) => join(root, part, 'docs', 'reference'))
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  const pages = (await describeProgram(root)).map(({ file, text }) => ({ file: join(root, file), text }))
  const stale = pages.filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text)
  const extra = folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => !pages.some((page) => page.file === file))
  if (!check) for (const { file, text } of stale) writeFileSync(file, text)
  if (!check) for (const file of extra) rmSync(file)
  return [...stale.map(({ file }) => file), ...extra]
}

/** @returns {Promise<typeof import('../docs/generate/index.ts')>} */
async function loadProgram(root) {
  const bundled = await build({
    entryPoints: [join(root, 'host', 'docs', 'generate', 'index.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['agent-source'],
    logLevel: 'silent',
    plugins: [externalPackages],
  })
  const { contents } = bundled.outputFiles[0]
  const folder = join(root, 'node_modules', '.agent-programs')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `reference-${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.mjs`)
  writeFileSync(file, contents)
  try {
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(file, { force: true })
  }
}
