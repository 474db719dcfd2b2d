import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../../support/servers/wait-until.ts'
import { openTestHome } from '../../support/test-home.ts'
import { judgeLane, type Verdict } from '../judge.ts'
import { openVendorLane } from '../lanes.ts'
import { createRandom } from '../random.ts'
import { speak } from '../speakers.ts'
import { openStage, start, stop } from '../stage.ts'
import { countOpen } from '../stored.ts'
import { endColumns, printProblems, printTable } from '../table.ts'
import { type Blow, blows, type Struck } from './blows.ts'

const runsOfEach = 10
const fewestRuns = 1
const fewestAccepted = 20
/** So many run at once: most of the time each of them waits. */
const atOnce = 3
/** Latest moment of a blow, counted from when the platform is connected. */
const latestMs = 1200
/** After an outage the longest step between two attempts may have to pass. */
const drainMs = 120_000

interface FoundOptions {
  readonly seed: number
  readonly scale: number
  /** Words of the blows that are wanted; none: all. */
  readonly names: readonly string[]
}

interface Run {
  readonly blow: string
  readonly verdict: Verdict
  readonly problems: readonly string[]
}

/**
 * Strikes a platform that can be asked what became of a send, whose plugin comes from outside and runs in a child, while people talk: connections break,
 * the child or the gateway is killed, the service is away for 20 seconds; each run in a home
 * that is new, because a plugin whose child ended five times is kept from running. Nothing may be lost, doubled or stay unknown.
 */
export async function runFound({ seed, scale, names }: FoundOptions): Promise<boolean> {
  const chosen = names.length === 0 ? blows : blows.filter(({ name }) => names.some((word) => name.includes(word)))
  const runs = Math.max(fewestRuns, Math.round(runsOfEach * scale))
  console.log(`${runs} runs of each of ${chosen.map(({ name }) => name).join(', ')}; --seed ${seed} repeats them`)
  const left = Array.from({ length: runs }, (_, index) =>
    chosen.map((blow, place) => ({ blow, seed: seed + index * chosen.length + place })),
  ).flat()
  const done: Run[] = []
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) done.push(await strikeOnce(next.blow, next.seed))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return report(chosen, done)
}

async function strikeOnce(blow: Blow, seed: number): Promise<Run> {
  const random = createRandom(seed)
  using home = openTestHome()
  await using asked = await openVendorLane(home, random, {
    ...{ platform: 'asked', keys: false, finds: true, conversations: ['a0', 'a1', 'a2', 'a3'], pauseMs: 200 },
  })
  const stage = openStage(home, [asked])
  const first = start(stage)
  let struck: Struck = { gateway: first, problems: [] }
  try {
    await first.connected()
    const rounds = Array.from({ length: blow.rounds }, (_, round) => speak(asked.speakers, random, { withinMs: blow.talkMs, round }))
    await pause(random.between(0, latestMs))
    struck = await blow.strike({ stage, asked, gateway: first })
    await Promise.all(rounds)
    const drained = await waitUntil('everything is settled', drainMs, () => asked.isTaken() && countOpen(home) === 0).then(
      () => [],
      () => [`${countOpen(home)} rows of the journal are open ${drainMs / 1000} s after the last message.`],
    )
    const stopped = await stop(struck.gateway)
    const verdict = judgeLane({ ...asked.evidence(), lines: [], crashes: stage.witness.of('asked') })
    return { blow: blow.name, verdict, problems: [...struck.problems, ...drained, ...stopped] }
  } finally {
    // A run that breaks off leaves no gateway behind.
    for (const { child } of [first, struck.gateway]) child.kill('SIGKILL')
  }
}

type Ended = 'right' | 'wrong' | 'givenUp' | 'givenUpUnexplained' | 'unknown' | 'lost' | 'accepted' | 'marks' | 'doubles' | 'outOfOrder'

interface Row extends Readonly<Record<Ended, number>> {
  readonly blow: string
  readonly runs: number
}

const counted = [
  'right',
  'wrong',
  'givenUp',
  'givenUpUnexplained',
  'unknown',
  'lost',
  'accepted',
  'marks',
  'doubles',
  'outOfOrder',
] as const

function report(chosen: readonly Blow[], done: readonly Run[]): boolean {
  const rows = chosen.map(({ name }): Row => {
    const own = done.filter(({ blow }) => blow === name)
    const sums = counted.map((key) => [key, own.reduce((sum, { verdict }) => sum + verdict[key], 0)])
    return { blow: name, runs: own.length, ...(Object.fromEntries(sums) as Record<Ended, number>) }
  })
  printTable<Row>([['blow', ({ blow }) => blow], ['runs', ({ runs }) => runs], ...endColumns<Row>((row) => row)], rows)
  for (const { blow, verdict } of done) for (const detail of verdict.details) console.log(`${blow}: ${detail}`)
  const broken = rows.flatMap((row) => problemsOf(row).map((problem) => `${row.blow}: ${problem}.`))
  return printProblems(
    [...done.flatMap(({ blow, problems }) => problems.map((problem) => `${blow}: ${problem}`)), ...broken],
    'Every guarantee held.',
  )
}

function problemsOf({ accepted, runs, ...row }: Row): readonly string[] {
  const none = ['wrong', 'givenUp', 'givenUpUnexplained', 'unknown', 'doubles', 'lost', 'outOfOrder'] as const
  const amiss = none.filter((key) => row[key] > 0).map((key) => `${key}: ${row[key]}`)
  return [...amiss, ...(accepted < runs * fewestAccepted || runs === 0 ? ['too little was accepted to say anything'] : [])]
}
