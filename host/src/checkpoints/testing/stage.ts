import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { type Checkpoints, type CheckpointsOptions, openCheckpoints } from '../checkpoints.ts'
import type { RolledBack } from '../rollback/roll-back.ts'

const defaultPath = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

/** A home and a folder of a test, with turns that do what the test says. */
export interface CheckpointStage extends AsyncDisposable {
  readonly home: string
  readonly work: string
  readonly checkpoints: Checkpoints
  /** What people were told of troubles. */
  readonly said: readonly string[]
  /** Does this in a turn, after the checkpoint. */
  turn(work: () => void): Promise<void>
  /** The same without an end: as if the program had been killed. */
  cutOff(work: () => void): Promise<void>
  numbers(): Promise<readonly number[]>
  restore(number: number, options?: { readonly all?: boolean; readonly path?: string }): Promise<RolledBack>
  /** Another process, as it were, on the same home. */
  open(options?: Partial<CheckpointsOptions>): Checkpoints
}

export function openStage(more: Partial<CheckpointsOptions> = {}): CheckpointStage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'checkpoints-')))
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  for (const path of [home, work]) mkdirSync(path)
  const said: string[] = []
  const { signal } = new AbortController()
  const opened: Checkpoints[] = []
  let count = 0
  const open = (options: Partial<CheckpointsOptions> = {}): Checkpoints => {
    const checkpoints = openCheckpoints({
      ...{ path: join(home, 'checkpoints'), workspace: work, home, userHome: folder, searchPath: defaultPath, clock: systemClock },
      ...{ enabled: () => true, most: () => 20, newName: () => `new-${++count}`, log: silentLog },
      ...more,
      ...options,
    })
    opened.push(checkpoints)
    return checkpoints
  }
  const checkpoints = open()
  const begin = () => checkpoints.forTurn({ workspace: work, session: 'ses_1', signal, say: (text) => said.push(text) })
  return {
    ...{ home, work, checkpoints, said, open },
    turn: async (change) => {
      const turn = begin()
      await turn?.before()
      change()
      await turn?.after()
    },
    cutOff: async (change) => {
      const other = open().forTurn({ workspace: work, session: 'ses_1', signal, say: (text) => said.push(text) })
      await other?.before()
      change()
    },
    numbers: async () => (await checkpoints.list(work, signal)).map(({ number }) => number),
    restore: (number, { all = false, path } = {}) =>
      checkpoints.restore(work, { number, all, path, session: '', again: `/rollback ${number} all` }, signal),
    [Symbol.asyncDispose]: async () => {
      for (const each of opened) await each.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
