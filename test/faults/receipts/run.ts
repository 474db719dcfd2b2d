import { setTimeout as pause } from 'node:timers/promises'
import type { PlatformManifest } from '@agent/plugin-sdk'
import { type Crowd, openCrowds } from '../../support/gateways/crowds.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { judgeCrowd } from '../chaos/judge-crowd.ts'
import { type Conversation, fewestAccepted, keepTalking, listConversations, talkUntilHeard } from '../chaos/talk.ts'
import { type CrashWitness, openCrashWitness } from '../crash-witness.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { judgeLane, type Verdict } from '../judge.ts'
import { openVendorLane } from '../lanes.ts'
import { createRandom, type Random } from '../random.ts'
import { speak } from '../speakers.ts'
import { countOpen, readStored } from '../stored.ts'
import { endColumns, printProblems, printTable } from '../table.ts'
import { type Blow, findFalse } from './judge-unknown.ts'
import { readUnknown } from './read-unknown.ts'

const mostRounds = 20
const fewestRounds = 3
/** Latest moment of a blow, counted from when every platform is connected. */
const latestMs = 1200
/** The longest step between two attempts with its scatter, so that a busy machine only makes the run longer. */
const reconnectWithinMs = 80_000
const drainMs = 90_000
const messagesPerSecond = 8

interface Stage {
  readonly home: TestHome
  readonly asked: Awaited<ReturnType<typeof openVendorLane>>
  readonly crowds: readonly Crowd[]
  readonly random: Random
  readonly witness: CrashWitness
  readonly blows: Blow[]
}

/**
 * Loses receipts: the gateway is killed and connections are cut while it sends, on a platform that can be asked and on all that tell nothing,
 * some of which show answers while they are written. What stays unknown has to be what nobody could find out.
 */
export async function runReceipts({ seed, scale }: { readonly seed: number; readonly scale: number }): Promise<boolean> {
  const rounds = Math.max(fewestRounds, Math.round(mostRounds * scale))
  console.log(`${rounds} kills and ${rounds} cuts; --seed ${seed} repeats this run`)
  const random = createRandom(seed)
  using home = openTestHome()
  await using asked = await openVendorLane(home, random, {
    ...{ platform: 'asked', keys: false, finds: true, conversations: ['a0', 'a1', 'a2', 'a3'], pauseMs: 200 },
  })
  const crowds = await openCrowds(tellsNothing)
  try {
    const stage: Stage = { home, asked, crowds, random, witness: openCrashWitness(home), blows: [] }
    writeSettings(stage)
    return await play(stage, rounds)
  } finally {
    for (const crowd of crowds) await crowd[Symbol.asyncDispose]()
  }
}

function tellsNothing({ capabilities }: PlatformManifest): boolean {
  return !capabilities.findSent && !capabilities.idempotentSend
}

function writeSettings({ home, asked, crowds }: Stage): void {
  const usual = { batch_ms: 0, busy_input_mode: 'queue', reply_prefix: '' }
  const own = crowds.map(({ platform, config }) => [platform, { ...usual, enabled: true, extra: config }])
  const platforms = { asked: { ...usual, extra: asked.extra, reply_to_mode: 'all' }, ...Object.fromEntries(own) }
  home.write('config.yaml', JSON.stringify({ platforms, plugins: { entries: { 'platform-asked': { enabled: true } } } }))
}

function start({ home, asked, crowds }: Stage): Gateway {
  const secrets = Object.assign({}, ...crowds.map((crowd) => crowd.secrets ?? {})) as Record<string, string>
  return startGateway(home, [asked.peer, ...crowds], { GATEWAY_ALLOW_ALL_USERS: 'true', ...secrets })
}

async function play(stage: Stage, rounds: number): Promise<boolean> {
  const { home, asked, crowds, random, witness } = stage
  const conversations = listConversations(crowds)
  let gateway = start(stage)
  try {
    await gateway.connected()
    const over = new AbortController()
    const talking = keepTalking(conversations, random, { perSecond: messagesPerSecond, signal: over.signal })
    for (let round = 0; round < rounds; round++) {
      await strike(stage, round * 2, () => cut(stage, round))
      await strike(stage, round * 2 + 1, async () => {
        gateway.child.kill('SIGKILL')
        note(stage, ['asked', ...crowds.map(({ platform }) => platform)])
        await gateway.ended
        witness.look()
        gateway = start(stage)
        await gateway.connected()
      })
    }
    over.abort()
    await talking
    for (const crowd of crowds) crowd.calm()
    await talkUntilHeard(home, conversations, random)
    const isDone = (): boolean => asked.isTaken() && crowds.every((crowd) => crowd.isTaken?.() ?? true) && countOpen(home) === 0
    const drained = await waitUntil('everything is settled', drainMs, isDone).then(
      () => [],
      () => [`${countOpen(home)} rows of the journal are open ${drainMs / 1000} s after the last message.`],
    )
    gateway.child.kill('SIGTERM')
    const { code } = await gateway.ended
    return report(stage, conversations, [...drained, ...(code === 0 ? [] : [`The last gateway ended with ${code}.`])])
  } finally {
    // A run that breaks off leaves no gateway behind.
    gateway.child.kill('SIGKILL')
  }
}

/** Something happens at a random moment while people speak. */
async function strike({ asked, random }: Stage, round: number, act: () => Promise<void>): Promise<void> {
  const talked = speak(asked.speakers, random, { withinMs: latestMs, round })
  await pause(random.between(0, latestMs))
  await act()
  await talked
}

/** Every other time the connections of the crowds break; else the next message arrives there, and its receipt does not. */
async function cut(stage: Stage, round: number): Promise<void> {
  const { asked, crowds } = stage
  const before = asked.peer.connections()
  asked.cut()
  note(stage, ['asked'])
  for (const crowd of crowds) {
    const waits = round % 2 === 1 && crowd.disturb('lose-receipt')
    if (waits || crowd.disturb('cut')) note(stage, [crowd.platform], waits)
  }
  await waitUntil('the connection is there again', reconnectWithinMs, () => asked.peer.connections() > before)
}

function note({ blows }: Stage, platforms: readonly string[], waits = false): void {
  for (const platform of platforms) blows.push({ platform, at: Date.now(), waits })
}

type Row = Pick<
  Verdict,
  'platform' | 'accepted' | 'right' | 'wrong' | 'givenUp' | 'givenUpUnexplained' | 'unknown' | 'marks' | 'doubles' | 'lost' | 'outOfOrder'
> & {
  readonly details: readonly string[]
}

function report(
  { home, asked, crowds, witness, blows }: Stage,
  conversations: readonly Conversation[],
  problems: readonly string[],
): boolean {
  const own = judgeLane({ ...asked.evidence(), lines: [], crashes: witness.of('asked') })
  const others = crowds.map((crowd) =>
    judgeCrowd({
      platform: crowd.platform,
      keeps: crowd.isTaken !== undefined,
      conversations: conversations.filter((one) => one.crowd === crowd).map(({ said, person }) => ({ said, heard: crowd.heard(person) })),
      stored: readStored(home, crowd.platform),
      crashes: witness.of(crowd.platform),
    }),
  )
  const rows: readonly Row[] = [own, ...others]
  const unknown = readUnknown(home)
  const untrue = findFalse({ unknown, blows, asked: new Set(['asked']) })
  printTable<Row>([['platform', ({ platform }) => platform], ...endColumns<Row>((row) => row)], rows)
  console.log(`${unknown.length} parts of answers are unknown, ${untrue.length} of them wrongly`)
  for (const { platform, details } of rows) for (const detail of details.slice(0, 5)) console.log(`${platform}: ${detail}`)
  return printProblems([...problems, ...untrue, ...rows.flatMap(problemsOf)], 'Every guarantee held.')
}

function problemsOf({ platform, accepted, wrong, givenUpUnexplained, doubles, lost, outOfOrder }: Row): readonly string[] {
  const rules: readonly [boolean, string][] = [
    [accepted >= fewestAccepted, 'too little was accepted to say anything'],
    [wrong === 0, `${wrong} messages or answers are not the right ones`],
    [givenUpUnexplained === 0, `${givenUpUnexplained} messages were given up without a reason`],
    [doubles === 0, `${doubles} answers arrived twice`],
    [lost === 0, `${lost} messages or answers were lost`],
    [outOfOrder === 0, `${outOfOrder} answers came out of order`],
  ]
  return rules.filter(([holds]) => !holds).map(([, problem]) => `${platform}: ${problem}.`)
}
