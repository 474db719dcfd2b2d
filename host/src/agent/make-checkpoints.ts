import { homedir } from 'node:os'
import type { Clock, Log } from '@agent/plugin-sdk'
import { type Checkpoints, openCheckpoints } from '#checkpoints/checkpoints.ts'
import type { CheckpointBounds } from '#checkpoints/store/limits.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { newId } from '#kernel/ids.ts'
import type { OpenAgentOptions } from './agent-options.ts'

export interface CheckpointParts {
  readonly options: Pick<OpenAgentOptions, 'environment' | 'workspace' | 'checkpoints'>
  readonly home: Home
  readonly loaded: Loaded
  readonly clock: Clock
  readonly log: Log
}

/** The checkpoints of a home. */
export function makeCheckpoints({ options, home, loaded, clock, log }: CheckpointParts): Checkpoints {
  return openCheckpoints({
    ...{
      path: home.files.checkpoints,
      workspace: options.workspace ?? home.files.workspace,
      home: home.path,
      userHome: homedir(),
      clock,
      log,
    },
    searchPath: options.environment.PATH,
    enabled: () => options.checkpoints === true || loaded.config.checkpoints.enabled,
    bounds: () => boundsOf(loaded.config.checkpoints),
    newName: () => `agent-${newId('run')}`,
  })
}

const mb = 1024 * 1024

const boundsOf = (settings: Loaded['config']['checkpoints']): CheckpointBounds => ({
  most: settings.max_snapshots,
  mostBytes: settings.max_total_size_mb * mb,
  largestFile: settings.max_file_size_mb * mb,
  oldestMs: settings.retention_days * 24 * 60 * 60_000,
})
