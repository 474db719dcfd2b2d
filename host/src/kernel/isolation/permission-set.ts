import { createHash } from 'node:crypto'
import type { Manifest } from '@agent/plugin-sdk'
import type { Installed } from '../installed/manifest-file.ts'

/** What config.yaml says about one plugin. */
export interface PluginEntry {
  readonly enabled?: boolean | undefined
  readonly isolation?: 'inproc' | 'process' | undefined
  /** Puts the child of the plugin into a sandbox of the system. */
  readonly sandbox?: 'bwrap' | undefined
  /** Most memory of the plugin's child, in MiB. */
  readonly memory_mb?: number | undefined
  readonly config?: unknown
}

/** How far a plugin is kept away from the host. */
export type Isolation = 'inproc' | 'process' | 'bwrap'

const defaultMemoryMb = 256

/** What came with agent runs in process, everything else in a child. A plugin may ask for more distance, its operator for less. */
export function isolationOf({ manifest, source }: Pick<Installed, 'manifest' | 'source'>, entry: PluginEntry | undefined): Isolation {
  const wished = entry?.isolation ?? (source === 'bundled' ? 'inproc' : 'process')
  if (wished === 'inproc' && manifest.isolation !== 'process') return 'inproc'
  return entry?.sandbox === 'bwrap' ? 'bwrap' : 'process'
}

/** What all plugins of one child have in common. */
export interface PermissionSet {
  readonly key: string
  readonly isolation: Isolation
  readonly memoryBytes: number
  readonly permissions: Pick<Manifest['permissions'], 'net' | 'fs' | 'run' | 'env'>
}

/** Equal permissions, equal variables and equal wishes share a child: none of its plugins could reach more alone. */
export function permissionSetOf({ manifest, source }: Installed, entry: PluginEntry | undefined): PermissionSet {
  const { net, fs, run, env } = manifest.permissions
  const isolation = isolationOf({ manifest, source }, entry)
  const memoryMb = entry?.memory_mb ?? defaultMemoryMb
  const same = [
    sorted(net?.value ?? 'none'),
    sorted(fs?.value.read ?? []),
    sorted(fs?.value.write ?? []),
    sorted(run?.value ?? []),
    sorted(env?.value ?? []),
    sorted(manifest.env.map(({ name }) => name)),
    isolation,
    memoryMb,
  ]
  return {
    key: createHash('sha256').update(JSON.stringify(same)).digest('hex').slice(0, 12),
    isolation,
    memoryBytes: memoryMb * 1024 * 1024,
    permissions: { ...(net && { net }), ...(fs && { fs }), ...(run && { run }), ...(env && { env }) },
  }
}

function sorted(value: string | readonly string[]): string | readonly string[] {
  return typeof value === 'string' ? value : [...value].sort()
}
