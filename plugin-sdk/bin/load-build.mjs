import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * The builder as a module that this Node can run: bundled from the sources beside it, kept by content.
 * It is not an entry point of the package, so that nothing of it can reach a program that runs.
 * @returns {Promise<typeof import('../src/build/index.ts')>}
 */
export function loadBuild() {
  return load('build')
}

/**
 * The conformance kit, for programs that do not run from source.
 * @returns {Promise<typeof import('../src/testing/index.ts')>}
 */
export function loadKit() {
  return load('testing')
}

async function load(name) {
  const source = join(root, 'src', name, 'index.ts')
  if (!existsSync(source)) return await import(pathToFileURL(join(root, 'dist', `${name}.js`)).href)
  const { build } = await import('esbuild')
  const bundled = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  })
  const { contents } = bundled.outputFiles[0]
  const folder = join(root, 'node_modules', '.cache', 'agent-plugin')
  const file = join(folder, `${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.mjs`)
  if (!existsSync(file)) {
    await mkdir(folder, { recursive: true })
    await writeFile(`${file}.${process.pid}`, contents)
    await rename(`${file}.${process.pid}`, file)
  }
  return await import(pathToFileURL(file).href)
}
