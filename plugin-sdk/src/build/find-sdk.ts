import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where this package lies, and whether its sources are beside it (inside the repository) or only its bundles. */
export interface SdkFolder {
  readonly root: string
  readonly fromSource: boolean
}

/** Walks up, because the builder runs from `src/`, from `dist/` and from the bin's cache. */
export function findSdk(from: string = fileURLToPath(import.meta.url)): SdkFolder {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === '@agent/plugin-sdk') {
      return { root: folder, fromSource: existsSync(join(folder, 'src', 'index.ts')) }
    }
    if (folder === dirname(folder)) throw new Error(`@agent/plugin-sdk is not above ${from}.`)
  }
}

/** Export conditions under which plugins are bundled. */
export function bundleConditions(sdk: SdkFolder): string[] {
  return sdk.fromSource ? ['agent-source', 'module'] : ['module']
}
