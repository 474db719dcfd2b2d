import { isBuiltin } from 'node:module'
import type * as Esbuild from 'esbuild'

type Options = Pick<Esbuild.BuildOptions, 'conditions' | 'plugins'>

/** A module of this name exports `program`, which the builder makes: the module beside it without that ending, bundled as a text for a worker thread. */
const programFile = /\.program\.ts$/

/** Puts the text of a program where its module stands. */
export function bundlePrograms(options: Options): Esbuild.Plugin {
  return {
    name: 'bundle-programs',
    setup(build) {
      build.onLoad({ filter: programFile }, async ({ path }) => {
        const program = await bundleProgram(build.esbuild, path.replace(programFile, '.ts'), options)
        return { contents: `export const program = ${JSON.stringify(program)}` }
      })
    },
  }
}

/** A program that brings everything along: as a text it lies in no folder, so what it looked up would be looked for where the agent happens to work. */
async function bundleProgram({ build }: Pick<typeof Esbuild, 'build'>, file: string, options: Options): Promise<string> {
  const { outputFiles, metafile } = await build({
    ...options,
    ...{ entryPoints: [file], bundle: true, write: false, metafile: true, format: 'cjs', platform: 'node', target: 'node20' },
    ...{ minify: true, legalComments: 'eof', logLevel: 'silent' },
  })
  const missing = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ path }) => !isBuiltin(path)))
  if (missing[0]) throw new Error(`${file} needs ${missing[0].path}, which is not there`)
  return outputFiles[0]?.text ?? ''
}
