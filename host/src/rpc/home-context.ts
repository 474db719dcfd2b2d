import type { KeepConfig } from '#config/file/keep-config.ts'
import type { ParseManifest } from '#kernel/installed/manifest-file.ts'

/** What a command line and the dashboard have in common when they look into a home or change it. */
export interface HomeContext {
  /** Folder that holds `plugins/` and `host/`. */
  readonly installRoot: string
  /** The process environment as it was given; read through config/environment.ts only. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The profile that is meant; undefined takes the one in force. */
  readonly profile: string | undefined
  readonly signal: AbortSignal
  /** How manifests are read; absent: again each time. */
  readonly parseManifest?: ParseManifest
  /** How the settings are read; absent: again each time. */
  readonly keepConfig?: KeepConfig
  /** A line that a person should see and that is no answer. */
  note(text: string): void
}
