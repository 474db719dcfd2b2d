import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ManifestInput } from '@agent/plugin-sdk'
import { type Catalog, type CatalogOptions, loadCatalog } from '../catalog.ts'

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
    load: (options) =>
      loadCatalog({ bundled, local, settings: { entries: {}, deny: [] }, platforms: {}, hasEnvironment: () => false, ...options }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

const basics = {
  manifestVersion: 1,
  description: 'made up',
  version: '1.0.0',
  license: 'MIT',
  api: { platform: 1, provider: 1, toolset: 1 },
}
