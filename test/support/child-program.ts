import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const { childOptions } = (await import(new URL('../../host/install/bundle.mjs', import.meta.url).href)) as {
  childOptions(folder: string): BuildOptions
}

export interface BuiltProgram extends AsyncDisposable {
  readonly file: string
}

/** Builds the program of the children from source, as the installer does. */
export async function buildChildProgram(): Promise<BuiltProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'child-program-'))
  await build({ ...childOptions(fileURLToPath(new URL('../../host', import.meta.url))), outdir: folder })
  return { file: join(folder, 'extension-host.mjs'), [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Builds a program from source that imports as a module in `resolveDir` does. */
export async function buildProgram(contents: string, resolveDir: string): Promise<BuiltProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'program-'))
  const file = join(folder, 'program.mjs')
  const usual: BuildOptions = {
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['agent-source'],
    logLevel: 'silent',
  }
  await build({ ...usual, stdin: { contents, resolveDir, loader: 'ts' }, outfile: file })
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
