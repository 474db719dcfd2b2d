import { readFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Esbuild from 'esbuild'

const names = { url: '__moduleUrl', filename: '__moduleFile', dirname: '__moduleFolder' }

const loaders: Readonly<Record<string, Esbuild.Loader>> = { '.ts': 'ts', '.mts': 'ts', '.js': 'js', '.mjs': 'js' }

/** Each module of a bundle finds what lies beside its file: `import.meta` says where that file is, not where the bundle is. */
export const keepPlaces: { readonly define: Record<string, string>; readonly plugin: Esbuild.Plugin } = {
  define: Object.fromEntries(Object.entries(names).map(([key, name]) => [`import.meta.${key}`, name])),
  plugin: {
    name: 'keep-places',
    setup(build) {
      build.onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!text.includes('import.meta')) return undefined
        const places = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) }
        const told = Object.entries(names).map(([key, name]) => `${name} = ${JSON.stringify(places[key as keyof typeof names])}`)
        // On the first line, so that no line has another number than its author knows.
        return { contents: `const ${told.join(', ')};${text}`, loader: loaders[extname(path)] ?? 'js' }
      })
    },
  },
}
