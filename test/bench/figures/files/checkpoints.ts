import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { openCheckpoints } from '../../../../host/src/checkpoints/checkpoints.ts'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { silentLog } from '../../../../host/src/observe/silent-log.ts'
import { type Bench, type Figure, median, type Row } from '../../figure.ts'

const files = 20_000
const filesOfFolder = 100
const rounds = 12
const edited = 5
const bounds = { most: 20, mostBytes: 2 ** 30, largestFile: 2 ** 20, oldestMs: 2 ** 30 }
const mostFirst = 3
const mostLater = 1.5

/** What a checkpoint keeps a tool waiting in a folder of 20,000 files, beside the person's own git over the same files. */
export const checkpoints: Figure = {
  name: 'checkpoints',
  async measure(bench) {
    // What others write to the same disk is in neither figure.
    const folder = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/agent-bench-') : bench.folder
    try {
      return await measureIn({ ...bench, folder })
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  },
}

async function measureIn(bench: Bench): Promise<readonly Row[]> {
  const work = makeTree(bench)
  const own = repository(bench, work)
  const status = (): Promise<number> => time(() => own('status', '--porcelain'))
  const firstFloor = await time(() => own('add', '-A'))
  own('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'all')
  const first = { ms: await takeOne(bench, work, -1), floorMs: firstFloor }
  const measured: { readonly quiet: Pair; readonly edited: Pair }[] = []
  for (let round = 0; round <= rounds; round++) {
    const quiet = await beside(round, { take: () => takeOne(bench, work, round), floor: status })
    edit(work, round)
    measured.push({ quiet, edited: await beside(round, { take: () => takeOne(bench, work, round + rounds), floor: status }) })
  }
  const warm = measured.slice(1)
  const among = `of ${files} files, before a tool; ${rounds} rounds, each beside a git status of the same files`
  return [
    judge('checkpoint-first', { most: mostFirst, beside: 'git add -A', pairs: [first], note: `of ${files} files` }),
    judge('checkpoint-later', { most: mostLater, beside: 'git status', pairs: warm.map(({ quiet }) => quiet), note: among }),
    judge('checkpoint-edited', {
      ...{ most: mostLater, beside: 'git status', pairs: warm.map((round) => round.edited) },
      note: `the same where a person has edited ${edited} of them since`,
    }),
  ]
}

/** Neither always comes to what the other has read into memory. */
async function beside(
  round: number,
  { take, floor }: { readonly take: () => Promise<number>; readonly floor: () => Promise<number> },
): Promise<Pair> {
  if (round % 2 === 0) {
    const floorMs = await floor()
    return { floorMs, ms: await take() }
  }
  return { ms: await take(), floorMs: await floor() }
}

interface Pair {
  readonly ms: number
  readonly floorMs: number
}

interface Judged {
  readonly most: number
  readonly beside: string
  readonly pairs: readonly Pair[]
  readonly note: string
}

function judge(figure: string, { most, beside, pairs, note }: Judged): Row {
  const [own, floor] = [median(pairs.map(({ ms }) => ms)), median(pairs.map(({ floorMs }) => floorMs))]
  const times = median(pairs.map(({ ms, floorMs }) => ms / floorMs))
  return {
    ...{ figure, budget: `≤ ${most} × ${beside}`, floor: `${floor.toFixed(0)} ms ${beside}` },
    ...{ value: `${times.toFixed(2)} × (${own.toFixed(0)} ms)`, ok: times <= most, note },
  }
}

async function time(run: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** How long a tool waits for the checkpoint of its turn, which then changes a few files. */
async function takeOne({ folder, signal }: Bench, work: string, round: number): Promise<number> {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const opened = openCheckpoints({
    ...{ path: join(home, 'checkpoints'), workspace: work, home, userHome: folder, searchPath: process.env.PATH },
    ...{ enabled: () => true, bounds: () => bounds, newName: () => 'bench', clock: systemClock, log: silentLog },
  })
  const say = (text: string): never => {
    throw fail('INTERNAL', { detail: text })
  }
  const turn = opened.forTurn({ workspace: work, session: 'bench', signal, say })
  const ms = await time(async () => turn?.before())
  edit(work, round + files / 2)
  await turn?.after()
  await opened.close()
  return ms
}

/** The person's own repository of the files, with the settings that git comes with. */
function repository({ folder }: Bench, work: string): (...words: readonly string[]) => void {
  const environment = { PATH: process.env.PATH, HOME: join(folder, 'nobody'), GIT_CONFIG_NOSYSTEM: '1' }
  const own = (...words: readonly string[]): void =>
    void execFileSync('git', [`--git-dir=${join(folder, 'own')}`, `--work-tree=${work}`, ...words], { env: environment, cwd: work })
  own('init', '-q')
  return own
}

function makeTree({ folder }: Bench): string {
  const work = join(folder, 'work')
  for (let at = 0; at < files; at++) {
    const place = join(work, `part-${Math.floor(at / filesOfFolder) % 20}`, `${Math.floor(at / filesOfFolder)}`)
    if (at % filesOfFolder === 0) mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `${at}.txt`), `file ${at}\n`.repeat(20 + (at % 100)))
  }
  return work
}

function edit(work: string, round: number): void {
  for (let each = 0; each < edited; each++) {
    const at = (each * 4_001 + round * 17) % files
    const place = join(work, `part-${Math.floor(at / filesOfFolder) % 20}`, `${Math.floor(at / filesOfFolder)}`)
    writeFileSync(join(place, `${at}.txt`), `round ${round}\n`.repeat(50))
  }
}
