import type { PlatformContext } from '@agent/plugin-sdk'
import type { Life } from '@agent/plugin-sdk/http'
import type { Api } from './api.ts'
import type { Channels } from './channels.ts'
import type { Config } from './config.ts'
import type { Memory } from './memory.ts'
import type { Settings } from './settings.ts'
import type { Threads } from './threads.ts'

/** What a connected bot works with: `account` is its own id, `application` that of its application. */
export interface Bot extends Api {
  readonly context: PlatformContext<Config>
  readonly settings: Settings
  readonly life: Life
  readonly channels: Channels
  readonly threads: Threads
  readonly memory: Memory
  readonly account: string
  readonly application: string
}
