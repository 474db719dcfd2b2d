import type { Clock } from '@agent/plugin-sdk'
import type { Config } from '#config/schema/schema.ts'
import type { ImportEntry } from '#kernel/activation/activate.ts'
import type { IsOwnDoor } from '#kernel/egress/own-doors.ts'
import type { EnabledPlatform } from './enable-platform.ts'
import type { PanelServices } from './panel-host.ts'

export interface OpenAgentOptions {
  /** Folder that holds `plugins/` and `host/`. */
  readonly installRoot: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly profile: string | undefined
  /** Folder that tools work in; absent: the home's own. */
  readonly workspace?: string
  readonly safeMode?: boolean
  /** Names of slash commands that no plugin may use for its own. */
  readonly ownCommands?: readonly string[]
  readonly ignoreUserConfig?: boolean
  /** Leaves out SOUL.md and the rule files of the workspace. */
  readonly ignoreRules?: boolean
  /** A platform that runs although nobody has switched it on yet. */
  readonly enable?: EnabledPlatform
  /** Makes checkpoints although the settings do not ask for them. */
  readonly checkpoints?: boolean
  /** Which model answers, where it is not the one of the settings. */
  readonly model?: Config['model']
  /** Homes of this user beside this one and the usual one, which are guarded like it. */
  readonly otherHomes?: readonly string[]
  /** MCP servers beside those of the settings; one of the same name stands in for theirs. */
  readonly mcpServers?: Config['mcp_servers']
  /** Which log this process writes. */
  readonly logName?: 'agent' | 'gateway'
  /** What panels may ask of the parts of the program that show them. */
  readonly panelServices?: PanelServices
  /** Tells a person something that is no answer. */
  readonly note: (text: string) => void
  readonly clock?: Clock
  /** How plugin code is found; tests run it from source, and then all of it in this process unless they name a child program. */
  readonly importEntry?: ImportEntry
  /** The program of a child; absent: the built one. */
  readonly childProgram?: string
  /** Which addresses no child may reach; absent: those of this program. */
  readonly isOwnDoor?: IsOwnDoor
}
