import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ManifestInput } from '@agent/plugin-sdk'
import { type Catalog, type CatalogOptions, loadCatalog } from '../catalog/catalog.ts'
import { entriesOf } from '../installed/check-installed.ts'
import { manifestName } from '../installed/manifest-file.ts'
import { formatFileList, hashFile, hashFiles, hashOf } from '../installed/plugin-files.ts'
import { fileListOf, formatPluginLock, type LockedPlugin, readPluginLock, storeFolder, storeOf } from '../installed/plugin-lock.ts'
import { hashSurface, surfaceOf } from '../installed/plugin-surface.ts'

/** A home and an installation in a temporary folder, filled with made-up plugins. */
export interface PluginFolder {
  readonly root: string
  readonly home: string
  readonly bundled: string
  readonly local: string
  /** Writes a manifest to `<bundled>/x/<id>` or `<local>/<id>` and gives its folder back. */
  add(where: 'bundled' | 'local', manifest: Partial<ManifestInput> & { readonly id: string }): string
  /** A development link of the same name as the plugin. */
  link(manifest: Partial<ManifestInput> & { readonly id: string }): string
  /** As `agent plugins install` leaves it: in the store and in the lock, with code for each entry. */
  install(manifest: Partial<ManifestInput> & { readonly id: string }): string
  write(path: string, text: string): void
  load(options?: Partial<CatalogOptions>): Promise<Catalog>
  [Symbol.dispose](): void
}

export const nothing: ManifestInput['contributes'] = {}

export const platformOf = (id: string, more: Record<string, unknown> = {}) => ({
  platforms: [{ id, entry: 'dist/platform.js', label: id, door: 'messaging', reach: 'people', capabilities: {}, limits: {}, ...more }],
})

export const toolsetOf = (id: string, more: Record<string, unknown> = {}) => ({
  toolsets: [
    {
      id,
      entry: 'dist/toolset.js',
      label: id,
      tools: [{ name: id, description: id, parameters: { type: 'object' }, effect: 'none' }],
      ...more,
    },
  ],
})

/** A set of one command, which is data unless told. */
export const commandsOf = (id: string, command: Record<string, unknown>) => ({
  api: { commands: 1 },
  contributes: { commands: [{ id, label: id, commands: [{ summary: 'Do it', prompt: 'Do it.', ...command }] }] } as never,
})

export function openPluginFolder(): PluginFolder {
  const root = mkdtempSync(join(tmpdir(), 'plugins-'))
  const [home, bundled] = [join(root, 'home'), join(root, 'install', 'plugins')]
  const local = join(home, 'plugins', 'local')
  mkdirSync(local, { recursive: true })
  mkdirSync(bundled, { recursive: true })
  writeFileSync(join(root, 'install', 'package.json'), '{"version":"1.4.0"}')
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const place = (folder: string, manifest: Partial<ManifestInput> & { readonly id: string }): string => {
    write(join(folder, 'agent.plugin.json'), JSON.stringify({ ...basics, name: manifest.id, ...manifest }))
    return folder
  }
  return {
    ...{ root, home, bundled, local, write },
    add: (where, manifest) => place(where === 'bundled' ? join(bundled, 'x', manifest.id) : join(local, manifest.id), manifest),
    link(manifest) {
      const folder = place(join(root, 'work', manifest.id), manifest)
      symlinkSync(folder, join(local, manifest.id))
      return folder
    },
    install(manifest) {
      const draft = place(join(home, 'draft'), manifest)
      const raw: unknown = JSON.parse(readFileSync(join(draft, manifestName), 'utf8'))
      const entries = entriesOf(raw)
      for (const entry of entries) write(join(draft, entry), `export default { open() {}, connect() {} } // ${manifest.id}`)
      const list = formatFileList(hashFiles(draft))
      const locked = lockOf(draft, manifest.version ?? basics.version, raw, list)
      const lockFile = join(home, 'plugins', 'plugins.lock.json')
      const { plugins, broken } = readPluginLock(lockFile)
      write(lockFile, formatPluginLock({ plugins: new Map([...plugins, [manifest.id, locked]]), broken }))
      const folder = storeFolder(storeOf(lockFile), manifest.id, locked)
      write(fileListOf(folder), list)
      renameSync(draft, folder)
      return folder
    },
    load: (options) =>
      loadCatalog({ bundled, local, settings: { entries: {}, deny: [] }, platforms: {}, hasEnvironment: () => false, ...options }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

function lockOf(folder: string, version: string, raw: unknown, list: string): LockedPlugin {
  const surface = surfaceOf(raw)
  const at = '2026-01-01T00:00:00.000Z'
  return {
    ...{ spec: 'file:/made-up.tgz', package: 'made-up', version, resolved: 'file:/made-up.tgz', registry: '', integrity: 'sha512-AA==' },
    files: hashOf(list),
    manifest: hashFile(join(folder, manifestName)),
    entries: Object.fromEntries(entriesOf(raw).map((entry) => [entry, hashFile(join(folder, entry))])),
    dependencies: {},
    surface,
    surfaceHash: hashSurface(surface),
    consent: { hash: hashSurface(surface), at },
    installedAt: at,
    previous: null,
  }
}

const basics = {
  manifestVersion: 1,
  description: 'made up',
  version: '1.0.0',
  license: 'MIT',
  api: { platform: 1, provider: 1, toolset: 1 },
}
