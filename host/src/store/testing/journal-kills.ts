import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Journal } from '../journal.ts'
import type { SharedPlace } from './journal-place.ts'
import { workerLanes } from './journal-worker.ts'
import { messageOf } from './messages.ts'

const kills = 7
/** Eight processes in a row on a machine that may be busy with other tests. */
const patience = 60_000
const perRound = 24
const conversations = ['#a', '#b', '#c', '#d', '#e']

interface Arrived {
  readonly key: string
  readonly conversation: string
  readonly text: string
}

/** Kills the process that works at seeded points while another one accepts, and counts what arrived. */
export function journalKills(name: string, createPlace: () => Promise<SharedPlace>, seed: number): void {
  const title = `journal of ${name}: ${kills} kills lose nothing, double nothing and keep the order`
  test(
    `${title}, with idempotency keys`,
    async () => {
      await using place = await createPlace()
      const run = await runWithKills(place, seed, { idempotent: true })
      expectOncePerPart(run, [...new Map(run.arrived.map((line) => [line.key, line])).values()])
      expect(run.unknown).toEqual([])
    },
    patience,
  )
  test(
    `${title}, without them all but what is listed as unknown`,
    async () => {
      await using place = await createPlace()
      const run = await runWithKills(place, seed, { idempotent: false })
      expectOncePerPart(run, run.arrived)
      expect(run.unknown.length).toBeLessThanOrEqual(run.died * workerLanes)
    },
    patience,
  )
}

interface KillRun {
  readonly accepted: readonly string[]
  /** In the order of arrival, repetitions included. */
  readonly arrived: readonly Arrived[]
  readonly unknown: readonly string[]
  readonly died: number
}

async function runWithKills(place: SharedPlace, seed: number, { idempotent }: { readonly idempotent: boolean }): Promise<KillRun> {
  const { journal } = await place.open()
  const platform = join(place.folder, 'platform.jsonl')
  writeFileSync(platform, '')
  const random = mulberry(seed)
  const accepted: string[] = []
  let died = 0
  for (let round = 0; round < kills; round++) {
    const working = place.work({ owner: `boot_${round}`, platform, idempotent, dieAt: 1 + Math.floor(random() * 250) })
    accepted.push(...(await acceptSome(journal, round)))
    died += (await working) === 'killed' ? 1 : 0
  }
  await place.work({ owner: 'boot_last', platform, idempotent, dieAt: 0 })
  expect(died).toBeGreaterThan(kills / 2)
  expect(await journal.pending()).toEqual([])
  const arrived = readFileSync(platform, 'utf8').trim().split('\n')
  return {
    accepted,
    arrived: arrived.map((line) => JSON.parse(line) as Arrived),
    unknown: (await journal.unknownSends()).map((send) => send.text),
    died,
  }
}

function expectOncePerPart({ accepted, unknown }: KillRun, arrived: readonly Arrived[]): void {
  const wanted = accepted.flatMap((id) => [`${id}.0`, `${id}.1`])
  const texts = arrived.map((line) => line.text)
  expect(new Set(texts).size).toBe(texts.length)
  expect([...new Set([...texts, ...unknown])].sort()).toEqual([...wanted].sort())
  for (const conversation of conversations) {
    const here = arrived.filter((line) => line.conversation === conversation).map((line) => line.text)
    expect(here).toEqual(wanted.filter((text) => here.includes(text)))
  }
}

async function acceptSome(journal: Journal, round: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < perRound; n++) {
    const id = `${round}-${n}`
    expect(await journal.accept('irc', messageOf(id, { conversation: conversations[n % conversations.length] ?? '#a' }))).toMatchObject({
      status: 'accepted',
    })
    ids.push(id)
  }
  return ids
}

function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
