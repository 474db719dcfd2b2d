import { realpathSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { SdkFolder } from './find-sdk.ts'

export interface Mapped {
  /** The plugin's folder, and that of its bundles. */
  readonly dir: string
  readonly dist: string
  readonly sdk: Pick<SdkFolder, 'root'>
  /** Lines that were put before the bundle. */
  readonly linesBefore: number
}

/**
 * A source map in which every file lies in the folder of the plugin: by its stack it is found whose an error is, and where libraries and this SDK lie on
 * the machine of the author is nobody's business.
 */
export function adjustMap(text: string, { dir, dist, sdk, linesBefore }: Mapped): string {
  const map = JSON.parse(text) as { readonly sources: readonly string[]; readonly mappings: string }
  const roots = [dir, realpathSync(dir)].map((root) => root + sep)
  const place = (source: string): string => {
    const file = resolve(dist, source)
    const root = roots.find((each) => file.startsWith(each))
    const inside = root === undefined ? placeForeign(file, sdk.root) : file.slice(root.length)
    return relative(dist, join(dir, inside)).split(sep).join('/')
  }
  return JSON.stringify({ ...map, sources: map.sources.map(place), mappings: ';'.repeat(linesBefore) + map.mappings })
}

function placeForeign(file: string, sdk: string): string {
  if (file.startsWith(sdk + sep)) return join('node_modules', '@agent', 'plugin-sdk', file.slice(sdk.length + 1))
  const installed = file.lastIndexOf(`${sep}node_modules${sep}`)
  return installed === -1 ? join('node_modules', basename(file)) : file.slice(installed + 1)
}
