import { setTimeout as pause } from 'node:timers/promises'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { openCrashWitness } from '../crash-witness.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { openVendorLane } from '../lanes.ts'
import { createRandom } from '../random.ts'
import { settleAll, stop } from '../stage.ts'
import { printProblems, printTable } from '../table.ts'
import { columns, judge, type Row } from './judge.ts'
import { kinds, messageOf, startModel } from './model.ts'
import { readChildren, readLines } from './read-children.ts'
import { stopEverywhere } from './stop.ts'

const mostMessages = 75
const mostKills = 14
const latestKillMs = 1_500
/** After a stop or a kill nothing of a tree goes on for longer than this. */
const quietMs = 400

/**
 * Lets agents hand out some 200 tasks while the gateway is killed at random points, with children that never end and such that want ever more
 * children, and then stops others at each of their steps. Each message is answered once, no tool runs twice, and every child has an end.
 */
export async function runDelegations({ seed, scale }: { readonly seed: number; readonly scale: number }): Promise<boolean> {
  const messages = Math.max(kinds.length * 2, Math.round(mostMessages * scale))
  const kills = Math.max(3, Math.round(mostKills * scale))
  console.log(`${messages} messages that delegate, ${kills} kills; --seed ${seed} repeats this run`)
  const random = createRandom(seed)
  using home = openTestHome()
  await using model = await startModel()
  const conversations = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']
  await using lane = await openVendorLane(home, random, { platform: 'keyed', keys: true, conversations, pauseMs: 50 })
  writeSettings(home, lane.extra, model.url)
  const witness = openCrashWitness(home)
  const start = (): Gateway => startGateway(home, [lane.peer], { GATEWAY_ALLOWED_USERS: 'ann', AGENT_INFERENCE_PROVIDER: 'custom' })
  const each = Math.ceil(messages / kills)
  let said = 0
  for (let round = 0; round < kills; round++) {
    const gateway = start()
    await gateway.connected()
    for (; said < Math.min(messages, (round + 1) * each); said++) {
      const kind = kinds[said % kinds.length] ?? 'talk'
      lane.speakers[said % conversations.length]?.say(`m${said}`, messageOf(`m${said}`, kind))
    }
    await pause(random.between(0, latestKillMs))
    gateway.child.kill('SIGKILL')
    await gateway.ended
    witness.look()
  }
  const last = start()
  const problems: string[] = []
  try {
    await last.connected()
    problems.push(...(await settleAll({ home, lanes: [lane], witness })))
    problems.push(...(await stopEverywhere({ home, model, say: (id, text) => lane.speakers[0]?.say(id, text), quietMs })))
    problems.push(...(await stop(last)))
  } finally {
    last.child.kill('SIGKILL')
  }
  const { accepted, stored, arrivals } = lane.evidence()
  const found = judge({
    ...{ accepted, stored, arrivals, crashes: witness.of('keyed'), lines: readLines(home), children: await readChildren(home) },
    requests: model.requests,
  })
  printTable<Row>(columns, found.rows)
  const ends = Object.entries(found.ends).map(([reason, count]) => `${count} ${reason}`)
  console.log(
    `${found.delegations} child agents (${ends.join(', ')}); ${found.matched} results matched field by field with what models were asked`,
  )
  const enough = found.delegations >= 200 * scale ? [] : [`Only ${found.delegations} child agents worked.`]
  return printProblems(
    [...problems, ...enough, ...found.problems],
    'Every message was answered once, no tool ran twice, every child has an end, and those behind an answer were told once.',
  )
}

function writeSettings(home: TestHome, extra: object, url: string): void {
  home.write(
    'config.yaml',
    JSON.stringify({
      model: { provider: 'custom', default: 'fake-model', base_url: url },
      ...{ sessions: { auto_title: false }, terminal: { sandbox: 'off' } },
      delegation: { max_spawn_depth: 2, child_timeout_seconds: 3 },
      plugins: { entries: { 'platform-keyed': { enabled: true } } },
      platforms: { keyed: { extra, busy_input_mode: 'queue', reply_to_mode: 'all' } },
    }),
  )
}
