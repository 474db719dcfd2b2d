import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as Esbuild from 'esbuild'
import { bundlePrograms } from './bundle-program.ts'
import { bundleConditions, type SdkFolder } from './find-sdk.ts'

const sdkName = '@agent/plugin-sdk'

/** The export conditions and resolvers with which a plugin is bundled that was never installed: this SDK stands in for every import of it, its zod where the plugin has none. */
export function bundleWith(sdk: SdkFolder): Required<Pick<Esbuild.BuildOptions, 'conditions' | 'plugins'>> {
  const found = { conditions: bundleConditions(sdk), plugins: [resolveSdk(sdk), resolveZod(sdk)] }
  return { ...found, plugins: [...found.plugins, bundlePrograms(found)] }
}

export function resolveSdk(sdk: SdkFolder): Esbuild.Plugin {
  return {
    name: 'resolve-sdk',
    setup(build) {
      const entries = readEntries(sdk, sdk.fromSource ? 'agent-source' : 'default')
      build.onResolve({ filter: /^@agent\/plugin-sdk(\/|$)/ }, ({ path }) => {
        const found = entries.get(path)
        return found === undefined ? { errors: [{ text: `${sdkName} has no ${path.slice(sdkName.length + 1)}` }] } : { path: found }
      })
    },
  }
}

function resolveZod(sdk: SdkFolder): Esbuild.Plugin {
  return {
    name: 'resolve-zod',
    setup(build) {
      build.onResolve({ filter: /^zod(\/|$)/ }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === resolveZod) return undefined
        const near = await build.resolve(path, { kind, resolveDir, pluginData: resolveZod })
        return near.errors.length === 0 ? near : await build.resolve(path, { kind, resolveDir: sdk.root, pluginData: resolveZod })
      })
    },
  }
}

/** File of each entry point under a condition, by the name under which it is imported. */
export function readEntries({ root }: Pick<SdkFolder, 'root'>, condition: string): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Record<string, string>> }
  return new Map(Object.entries(exports).map(([name, conditions]) => [sdkName + name.slice(1), join(root, conditions[condition] ?? '')]))
}
