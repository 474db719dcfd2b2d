import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { type Checkpoints, type CheckpointsOptions, openCheckpoints } from '../checkpoints.ts'
import type { RolledBack } from '../rollback/roll-back.ts'
import type { CheckpointBounds } from '../store/limits.ts'

const usual: CheckpointBounds = { most: 20, mostBytes: 500 * 1024 * 1024, largestFile: 10 * 1024 * 1024, oldestMs: 7 * 24 * 60 * 60_000 }

export interface StageOptions extends Partial<Omit<CheckpointsOptions, 'bounds'>> {
  /** Where its folder is made. */
  readonly place?: string
  readonly bounds?: Partial<CheckpointBounds>
}

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
  open(options?: StageOptions): Checkpoints
}

export function openStage(more: StageOptions = {}): CheckpointStage {
  const folder = realpathSync(mkdtempSync(join(more.place ?? tmpdir(), 'checkpoints-')))
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  for (const path of [home, work]) mkdirSync(path)
  const said: string[] = []
  const { signal } = new AbortController()
  const opened: Checkpoints[] = []
  let count = 0
  const open = (options: StageOptions = {}): Checkpoints => {
    const checkpoints = openCheckpoints({
      ...{ path: join(home, 'checkpoints'), workspace: work, home, userHome: folder, searchPath: defaultPath, clock: systemClock },
      ...{ enabled: () => true, newName: () => `new-${++count}`, log: silentLog },
      ...more,
      ...options,
      // Read each time: a test may change them meanwhile.
      bounds: () => ({ ...usual, ...more.bounds, ...options.bounds }),
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
      rmSync(join(home, 'checkpoints', 'turns'), { recursive: true })
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
