import { createHash } from 'node:crypto'
import type { Manifest } from '@agent/plugin-sdk'
import type { Installed } from '../installed/manifest-file.ts'

/** What config.yaml says about one plugin. */
export interface PluginEntry {
  readonly enabled?: boolean | undefined
  readonly isolation?: 'inproc' | 'process' | undefined
  /** Its child runs in a sandbox of the system or not at all, or without one. */
  readonly sandbox?: 'bwrap' | 'off' | undefined
  /** Most memory of the plugin's child, in MiB. */
  readonly memory_mb?: number | undefined
  readonly config?: unknown
}

/** What config.yaml says about plugins, as far as it decides where they run. */
export interface IsolationSettings {
  readonly entries: Readonly<Record<string, PluginEntry | undefined>>
  /** Whether children run in a sandbox; `auto` unless told. */
  readonly sandbox?: 'auto' | 'required' | 'off' | undefined
}

/** How far a plugin is kept away from the host; `bwrap` where the machine has one that works. */
export type Isolation = 'inproc' | 'process' | 'bwrap'

const defaultMemoryMb = 256

type Judged = Pick<Installed, 'manifest' | 'source'>

/** What came with agent runs in process, everything else in a child in a sandbox. A plugin may ask for more distance, its operator for less. */
export function isolationOf({ manifest, source }: Judged, { entries, sandbox }: IsolationSettings): Isolation {
  const entry = entries[manifest.id]
  const wished = entry?.isolation ?? (source === 'bundled' ? 'inproc' : 'process')
  if (wished === 'inproc' && manifest.isolation !== 'process') return 'inproc'
  if (entry?.sandbox) return entry.sandbox === 'bwrap' ? 'bwrap' : 'process'
  return sandbox === 'off' || source === 'bundled' ? 'process' : 'bwrap'
}

/** Whether the operator would rather have the plugin not run than run without a sandbox. */
export function requiresSandbox(plugin: Judged, settings: IsolationSettings): boolean {
  if (isolationOf(plugin, settings) !== 'bwrap') return false
  return settings.entries[plugin.manifest.id]?.sandbox === 'bwrap' || settings.sandbox === 'required'
}

/** What all plugins of one child have in common. */
export interface PermissionSet {
  readonly key: string
  readonly isolation: Isolation
  /** Without a sandbox that works there is no child. */
  readonly required: boolean
  readonly memoryBytes: number
  /** It keeps files of what is remembered. */
  readonly keepsMemories: boolean
  readonly permissions: Pick<Manifest['permissions'], 'net' | 'fs' | 'run' | 'env'>
}

/** Equal permissions, equal variables and equal wishes share a child: none of its plugins could reach more alone. */
export function permissionSetOf({ manifest, source }: Installed, settings: IsolationSettings): PermissionSet {
  const { net, fs, run, env } = manifest.permissions
  const isolation = isolationOf({ manifest, source }, settings)
  const keepsMemories = manifest.contributes.memory.some(({ files }) => files.length > 0)
  const required = requiresSandbox({ manifest, source }, settings)
  const memoryMb = settings.entries[manifest.id]?.memory_mb ?? defaultMemoryMb
  const same = [
    sorted(net?.value ?? 'none'),
    sorted(fs?.value.read ?? []),
    sorted(fs?.value.write ?? []),
    sorted(run?.value ?? []),
    sorted(env?.value ?? []),
    sorted(manifest.env.map(({ name }) => name)),
    isolation,
    required,
    memoryMb,
    // Behind the others, so that the keys of all others stay as they are.
    ...(keepsMemories ? ['memories'] : []),
  ]
  return {
    key: createHash('sha256').update(JSON.stringify(same)).digest('hex').slice(0, 12),
    isolation,
    required,
    memoryBytes: memoryMb * 1024 * 1024,
    keepsMemories,
    permissions: { ...(net && { net }), ...(fs && { fs }), ...(run && { run }), ...(env && { env }) },
  }
}

function sorted(value: string | readonly string[]): string | readonly string[] {
  return typeof value === 'string' ? value : [...value].sort()
}
