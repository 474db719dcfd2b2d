import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fail } from '../contract/errors.ts'
import { adjustMap } from './adjust-map.ts'
import type { SdkFolder } from './find-sdk.ts'
import { readLeftOutside } from './left-outside.ts'
import { bundleWith } from './resolve-sdk.ts'
import type { BuiltEntry } from './to-manifest.ts'

/** Vendor clients written for require() need one; only their files pay for it. */
const requireShim = `import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)\n`

export interface BundleOptions {
  /** Where the bundles go, where that is not `dist` of the plugin. */
  readonly dist?: string
  /** Whether maps lie beside the bundles, by which a stack names the files and lines that the author has written. */
  readonly maps?: boolean
}

/** Bundles each entry into `<kind>.<id>.js` in `dist`; the folder appears at once and whole. Answers the names of the bundles. */
export async function bundleEntries(
  dir: string,
  plugin: string,
  entries: readonly BuiltEntry[],
  sdk: SdkFolder,
  { dist = join(dir, 'dist'), maps = true }: BundleOptions = {},
): Promise<readonly string[]> {
  const { build } = await import('esbuild')
  const next = `${dist}.tmp`
  const bundled = await build({
    entryPoints: Object.fromEntries(entries.map((entry) => [entry.name, entry.source])),
    outdir: dist,
    absWorkingDir: dir,
    bundle: true,
    write: false,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    // Nobody reads the lines of a bundle without maps.
    minifyWhitespace: !maps,
    ...(maps ? { sourcemap: 'linked', sourcesContent: false } : {}),
    ...bundleWith(sdk),
    external: ['*.node', ...(await readLeftOutside(dir))],
    chunkNames: 'chunk-[hash]',
    legalComments: 'eof',
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw fail('PLUGIN_BUILD', { plugin, path: 'src', problem: error.message.trim() }, { cause: error })
  })
  await rm(next, { recursive: true, force: true })
  await mkdir(next, { recursive: true })
  const names: string[] = []
  const texts = new Map(bundled.outputFiles.map(({ path, text }) => [basename(path), text]))
  for (const [name, text] of texts) {
    const needsRequire = (texts.get(name.replace(/\.map$/, '')) ?? '').includes('Dynamic require of')
    if (!name.endsWith('.map')) names.push(name)
    const mapped = { dir, dist, sdk, linesBefore: needsRequire ? requireShim.split('\n').length - 1 : 0 }
    await writeFile(join(next, name), name.endsWith('.map') ? adjustMap(text, mapped) : needsRequire ? requireShim + text : text)
  }
  await rm(dist, { recursive: true, force: true })
  await rename(next, dist)
  return names.sort()
}
