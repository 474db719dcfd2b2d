import { fileURLToPath } from 'node:url'
import type { TurnEvent } from '@agent/plugin-sdk'
import { errors } from '@agent/plugin-sdk/errors'
import { type OpenAgent, openAgent } from '../../../host/src/agent/open-agent.ts'
import { createCall } from '../../../host/src/kernel/calls/call.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { createRandom, type Random } from '../random.ts'
import { createFastClock, type FastClock } from './clock.ts'
import { judgeTurn, type Seen, type Verdict } from './judge.ts'
import { printDay, type Row } from './report.ts'
import { askFor, rightAnswer, type Service, startServices, tokenOf } from './services.ts'
import { type Day, weatherAt } from './weather.ts'

const sessions = 50
const turnsEach = 40
const hourMs = 3_600_000
/** How much faster than real the day passes. */
const factor = 400
/** No rest that a service asks for is longer. */
const longestRestMs = 900_000

interface Stage {
  readonly clock: FastClock
  readonly random: Random
  readonly services: readonly Service[]
  readonly agent: OpenAgent
  readonly hour: (at: number) => number
  readonly dayMs: number
  readonly begin: () => number
}

/**
 * Lets fifty people talk through a day on which services of models fail in every way. `scale` shortens the day; there are as many turns an hour.
 * Every turn has to end with the right answer or a named error, no service may see another one's key, and the model of choice has to answer
 * whenever its service is well.
 */
export async function runDay({ seed, scale }: { readonly seed: number; readonly scale: number }): Promise<boolean> {
  console.log(`${sessions} conversations through ${Math.round(24 * scale * 10) / 10} hours; --seed ${seed} repeats this run`)
  const random = createRandom(seed)
  using clock = createFastClock()
  let begin = clock.now()
  const hour = (at: number): number => (at - begin) / (hourMs * scale)
  const services = await startServices({ hour: () => hour(clock.now()), random })
  using home = openTestHome()
  writeSettings(home, services)
  const agent = await openAgent({
    ...{
      installRoot: fileURLToPath(new URL('../../..', import.meta.url)),
      profile: undefined,
      workspace: home.work,
      clock,
      note: console.log,
    },
    environment: { ...home.environment, ...variablesOf(services), AGENT_API_TIMEOUT: '300' },
  })
  try {
    const stage: Stage = { clock, random, services, agent, hour, dayMs: 24 * hourMs * scale, begin: () => begin }
    // What is loaded once takes as long as ever.
    await take(stage, 'warm', 'warm0')
    clock.hurry(factor)
    begin = clock.now()
    const talks = Array.from({ length: sessions }, (_, at) => talk(stage, at, Math.max(1, Math.round(turnsEach * scale))))
    const seen = (await Promise.all(talks)).flat()
    return report(stage, seen)
  } finally {
    clock.hurry(1)
    await agent.close()
    for (const service of services) await service[Symbol.asyncDispose]()
  }
}

function writeSettings(home: TestHome, services: readonly Service[]): void {
  const [, second, third] = services
  const chain = [
    { provider: 'anthropic', model: 'model-second' },
    { provider: 'custom', model: 'model-third', base_url: third?.url, api_key: third?.key },
  ]
  const model = { provider: 'openrouter', default: 'model-first' }
  // What services were asked is counted by turns.
  home.write('config.yaml', JSON.stringify({ model, fallback_providers: chain, sessions: { auto_title: false } }))
  if (!second) throw new Error('There are three services.')
}

function variablesOf([first, second]: readonly Service[]): Readonly<Record<string, string | undefined>> {
  return {
    ...{ OPENROUTER_API_KEY: first?.key, OPENROUTER_BASE_URL: first?.url },
    ...{ ANTHROPIC_API_KEY: second?.key, ANTHROPIC_BASE_URL: second?.url },
  }
}

/** One person says so many things, spread over the day. */
async function talk(stage: Stage, at: number, turns: number): Promise<readonly Seen[]> {
  const { clock, random, dayMs, begin } = stage
  const found: Seen[] = []
  for (let turn = 0; turn < turns; turn++) {
    const due = begin() + (dayMs * (turn + random.next())) / turns
    await clock.sleep(Math.max(0, due - clock.now()))
    found.push(await take(stage, `day-${at}`, `t${at}x${turn}`))
  }
  return found
}

async function take({ agent, clock }: Stage, key: string, token: string): Promise<Seen> {
  const startedAt = clock.now()
  const request = { input: [{ type: 'text', text: askFor(token) }], source: 'cli', canAnswer: false, session: { key } } as const
  const events: TurnEvent[] = []
  for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) events.push(event)
  const end = events.findLast((event) => event.type === 'message.complete')
  return {
    ...{ token, right: rightAnswer(token), startedAt, endedAt: clock.now() },
    shown: events.map((event) => (event.type === 'message.delta' ? event.text : '')).join(''),
    text: end?.text ?? '',
    status: end?.status ?? 'none',
    code: events.find((event) => event.type === 'error')?.error.code,
    replaced: events.filter((event) => event.type === 'status' && event.kind === 'fallback').length,
  }
}

function report(stage: Stage, seen: readonly Seen[]): boolean {
  const { services, hour } = stage
  const isWell = ({ day }: { readonly day: Day }, from: number, to: number): boolean => {
    for (let at = Math.floor(hour(from)); at <= hour(to); at++) if (weatherAt(day, Math.max(0, at)) !== 'fine') return false
    return true
  }
  const [first] = services
  const rows: Row[] = seen.map((turn) => {
    const verdict: Verdict = judgeTurn(turn, new Set(Object.keys(errors)), {
      isFirstWell: (from, to) => first !== undefined && isWell(first, from - longestRestMs, to),
      isOneWell: (from, to) => services.some((service) => isWell(service, from - longestRestMs, to)),
    })
    const weather = first ? weatherAt(first.day, hour(turn.startedAt)) : 'fine'
    return { turn, verdict, weather, by: services.findLast(({ requests }) => requests.some((one) => tokenOf(one) === turn.token))?.name }
  })
  const keys = services.flatMap(({ name, key, requests }) =>
    services
      .filter((other) => other.key !== key)
      .flatMap((other) =>
        requests.some((request) => JSON.stringify(request).includes(other.key)) ? [`${name} was sent the key of ${other.name}.`] : [],
      ),
  )
  return printDay(rows, keys)
}
