import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findSdk } from '../../build/find-sdk.ts'
import { bundleWith } from '../../build/resolve-sdk.ts'
import { keepPlaces } from './keep-places.ts'

/** What `test/contract.ts` of a plugin exports: with what the suites try a contribution. */
export interface Contract {
  openWorld(contribution: string): Promise<never>
}

/** Bundles a contract into `folder` and imports it. Rejects with a sentence where that does not work. */
export async function loadContract(file: string, folder: string): Promise<Contract> {
  const { build } = await import('esbuild')
  const target = join(folder, 'contract.mjs')
  const { conditions, plugins } = bundleWith(findSdk())
  const bundled = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    outfile: target,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    conditions,
    plugins: [...plugins, keepPlaces.plugin],
    define: keepPlaces.define,
    external: ['*.node', 'esbuild'],
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    logLevel: 'silent',
  })
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, bundled.outputFiles[0]?.text ?? '')
  const loaded = (await import(/* @vite-ignore */ pathToFileURL(target).href)) as Partial<Contract>
  if (typeof loaded.openWorld !== 'function') throw new Error('it does not export openWorld()')
  return loaded as Contract
}
