import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Esbuild from 'esbuild'
import type * as z from 'zod'
import { fail } from '../contract/errors.ts'
import type { PluginDefinition } from '../kinds/define.ts'
import { bundleConditions, type SdkFolder } from './find-sdk.ts'
import { resolveSdk } from './resolve-sdk.ts'

export interface ReadDefinition {
  readonly definition: PluginDefinition
  /** Of the same copy of zod that made the schemas. */
  readonly toJsonSchema: typeof z.toJSONSchema
}

/** Evaluates `src/plugin.ts` with its lazy imports replaced by stubs that only know their path: no code of the plugin runs. */
export async function readDefinition(dir: string, sdk: SdkFolder): Promise<ReadDefinition> {
  const { build } = await import('esbuild')
  const bundled = await build({
    stdin: { contents: `export { default } from './src/plugin.ts'\nexport { toJSONSchema } from 'zod'\n`, resolveDir: dir },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: bundleConditions(sdk),
    plugins: [lazyStubs, sharedZod(sdk), resolveSdk(sdk)],
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw fail('PLUGIN_BUILD', { plugin: dir, path: 'src/plugin.ts', problem: error.message.trim() }, { cause: error })
  })
  const folder = await mkdtemp(join(tmpdir(), 'agent-plugin-'))
  try {
    const file = join(folder, 'definition.mjs')
    await writeFile(file, bundled.outputFiles[0]?.text ?? '')
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      default?: PluginDefinition
      toJSONSchema: typeof z.toJSONSchema
    }
    if (typeof loaded.default !== 'object' || loaded.default === null) {
      throw fail('PLUGIN_BUILD', { plugin: dir, path: 'src/plugin.ts', problem: 'has no default export made by definePlugin' })
    }
    return { definition: loaded.default, toJsonSchema: loaded.toJSONSchema }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const lazyStubs: Esbuild.Plugin = {
  name: 'lazy-stubs',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: 'lazy' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({ contents: `export const __entry = ${JSON.stringify(path)}` }))
  },
}

/** zod stays outside of the bundle: one copy serves every plugin that is built in this process. */
function sharedZod(sdk: SdkFolder): Esbuild.Plugin {
  return {
    name: 'shared-zod',
    setup(build) {
      build.onResolve({ filter: /^zod(\/|$)/ }, async ({ path, resolveDir, pluginData }) => {
        if (pluginData === 'shared-zod') return undefined
        const options = { kind: 'import-statement', pluginData: 'shared-zod' } as const
        const near = await build.resolve(path, { ...options, resolveDir })
        const found = near.errors.length === 0 ? near : await build.resolve(path, { ...options, resolveDir: sdk.root })
        return found.errors.length === 0 ? { path: pathToFileURL(found.path).href, external: true } : { errors: found.errors }
      })
    },
  }
}

/** The source file behind `() => import('./connection.ts')`. */
export async function entryPath(plugin: string, path: string, lazy: unknown): Promise<string> {
  const problem = "must be a lazy import, () => import('./file.ts')"
  if (typeof lazy !== 'function') throw fail('PLUGIN_BUILD', { plugin, path, problem })
  const loaded = (await lazy()) as { __entry?: unknown }
  if (typeof loaded?.__entry !== 'string') throw fail('PLUGIN_BUILD', { plugin, path, problem })
  if (!existsSync(loaded.__entry)) {
    const missing = loaded.__entry.slice(dirname(loaded.__entry).length + 1)
    throw fail('PLUGIN_BUILD', { plugin, path, problem: `imports ${missing}, which does not exist` })
  }
  return loaded.__entry
}
