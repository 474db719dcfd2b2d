import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, manifestSchema } from '../../plugin-sdk/src/manifest.ts'
import { listFolders, readJson, root } from './source-files.ts'

/** Folder of a kind → prefix of its plugins' ids. */
export const kinds: Readonly<Record<string, string>> = {
  platforms: 'platform',
  providers: 'provider',
  toolsets: 'toolset',
  'web-backends': 'web-backend',
  speech: 'speech',
  environments: 'environment',
  stores: 'store',
}

export interface PluginFolder {
  /** `plugins/platforms/irc`. */
  readonly path: string
  readonly kind: string
  readonly name: string
  /** `platform-irc`. */
  readonly id: string
}

/** The bundled plugins, as their folders say. */
export const pluginFolders: readonly PluginFolder[] = listFolders('plugins').flatMap((kind) =>
  listFolders(`plugins/${kind}`).map((name) => ({ path: `plugins/${kind}/${name}`, kind, name, id: `${kinds[kind] ?? kind}-${name}` })),
)

export function hasFile(folder: PluginFolder, file: string): boolean {
  return existsSync(join(root, folder.path, file))
}

export function readManifest(folder: PluginFolder): Manifest {
  return manifestSchema.parse(readJson(`${folder.path}/agent.plugin.json`))
}
