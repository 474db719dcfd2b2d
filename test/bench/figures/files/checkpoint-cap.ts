import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { type Checkpoints, openCheckpoints } from '../../../../host/src/checkpoints/checkpoints.ts'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { silentLog } from '../../../../host/src/observe/silent-log.ts'
import type { Bench, Figure, Row } from '../../figure.ts'

const turns = 1_000
const turnsOfTenMinutes = 10
const tenMinutes = 10 * 60_000
const bytesOfTurn = 16 * 1024
const mebibyte = 2 ** 20
const bounds = { most: 20, mostBytes: mebibyte, largestFile: mebibyte, oldestMs: 2 ** 40 }

/** What the checkpoints of a folder take after many turns, each of which changes what cannot be packed. */
export const checkpointCap: Figure = {
  name: 'checkpoint-cap',
  async measure(bench) {
    const folder = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/agent-bench-') : bench.folder
    try {
      return [judge(await takeTurns({ ...bench, folder }))]
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  },
}

function judge(sizes: readonly number[]): Row {
  const most = Math.max(...sizes)
  return {
    figure: 'checkpoint-cap',
    budget: `≤ ${megabytes(bounds.mostBytes)} and ${turnsOfTenMinutes} turns`,
    floor: `${megabytes(turns * bytesOfTurn)} written`,
    value: megabytes(most),
    ok: most <= bounds.mostBytes + 2 * turnsOfTenMinutes * bytesOfTurn,
    note: `the largest of ${sizes.length} looks in ${turns} turns, a minute apart; what is younger than ten minutes is never deleted`,
  }
}

const megabytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(2)} MiB`

/** The size of the store after each ten of them. */
async function takeTurns({ folder, signal }: Bench): Promise<readonly number[]> {
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  for (const path of [home, work]) mkdirSync(path, { recursive: true })
  const store = join(home, 'checkpoints', 'store')
  const sizes: number[] = []
  for (let count = 0; count < turns; count += turnsOfTenMinutes) {
    const opened = openCheckpoints({
      ...{ path: join(home, 'checkpoints'), workspace: work, home, userHome: folder, searchPath: process.env.PATH },
      ...{ enabled: () => true, bounds: () => bounds, newName: () => 'bench', clock: systemClock, log: silentLog },
    })
    for (let each = 0; each < turnsOfTenMinutes; each++) await takeTurn(opened, work, signal)
    await opened.close()
    sizes.push(filesIn(store).reduce((sum, path) => sum + statSync(path).size, 0))
    letTenMinutesPass(store)
  }
  return sizes
}

async function takeTurn(opened: Checkpoints, work: string, signal: AbortSignal): Promise<void> {
  const say = (text: string): never => {
    throw fail('INTERNAL', { detail: text })
  }
  const turn = opened.forTurn({ workspace: work, session: 'bench', signal, say })
  await turn?.before()
  writeFileSync(join(work, 'changed.bin'), randomBytes(bytesOfTurn))
  await turn?.after()
}

/** To git, which asks the real clock. */
function letTenMinutesPass(store: string): void {
  for (const path of filesIn(join(store, 'objects'))) {
    const { mtimeMs } = statSync(path)
    utimesSync(path, (mtimeMs - tenMinutes) / 1000, (mtimeMs - tenMinutes) / 1000)
  }
}

const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
