import type { PlatformContext } from '@agent/plugin-sdk'
import type { Life } from '@agent/plugin-sdk/http'
import type { Api } from './api.ts'
import type { Channels } from './channels.ts'
import type { Config } from './config.ts'
import type { Memory } from './memory.ts'
import type { Settings } from './settings.ts'
import type { Threads } from './threads.ts'

/** Everything that a connected bot works with. */
export interface Bot extends Api {
  readonly context: PlatformContext<Config>
  readonly settings: Settings
  readonly life: Life
  readonly channels: Channels
  readonly threads: Threads
  readonly memory: Memory
  /** The bot's own id. */
  readonly account: string
  /** The id of its application. */
  readonly application: string
}
