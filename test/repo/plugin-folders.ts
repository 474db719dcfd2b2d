import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ContractKind, contractKinds, folderOf } from '../../plugin-sdk/src/kinds/kinds.ts'
import { type Manifest, manifestSchema } from '../../plugin-sdk/src/kinds/manifest.ts'
import { listFiles, listFolders, readJson, root } from './source-files.ts'

/** Kinds by the folder of their plugins; a plugin's id begins with its kind. */
export const kindOfFolder: ReadonlyMap<string, ContractKind> = new Map(contractKinds.map((kind) => [folderOf(kind), kind]))

export interface PluginFolder {
  /** `plugins/platforms/irc`. */
  readonly path: string
  readonly kind: string
  readonly name: string
  /** `platform-` and its name. */
  readonly id: string
}

/** The bundled plugins, as their folders say. */
export const pluginFolders: readonly PluginFolder[] = listFolders('plugins').flatMap((kind) =>
  listFolders(`plugins/${kind}`).map((name) => ({
    path: `plugins/${kind}/${name}`,
    kind,
    name,
    id: `${kindOfFolder.get(kind) ?? kind}-${name}`,
  })),
)

export function hasFile(folder: PluginFolder, file: string): boolean {
  return existsSync(join(root, folder.path, file))
}

/** The plugin with the least code, tests and fake servers included. */
export function findSmallest(folders: readonly PluginFolder[]): PluginFolder | undefined {
  const bytes = ({ path }: PluginFolder): number =>
    listFiles(path, /\.ts$/).reduce((total, file) => total + statSync(join(root, file)).size, 0)
  const sizes = new Map(folders.map((folder) => [folder, bytes(folder)]))
  return [...folders].sort((one, other) => (sizes.get(one) ?? 0) - (sizes.get(other) ?? 0))[0]
}

export function readManifest(folder: PluginFolder): Manifest {
  return manifestSchema.parse(readJson(`${folder.path}/agent.plugin.json`))
}
