import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { openRemote, pipeLink } from './border.ts'

/** Repeatable: a failing run says its seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const types = ['call', 'open', 'note', 'ok', 'fail', 'items', 'end', 'more', 'stop', 'else', null, 7]
const names = [
  '1/receive',
  '1/state.set',
  '1/files.read',
  '1/log.info',
  '1/lost',
  '1/__proto__',
  '1/log.constructor',
  'parent/blame',
  'release',
  '9/x',
  '/',
  '',
  null,
  4,
]
const values = [
  null,
  [],
  {},
  'x',
  -1,
  1e308,
  [[[]]],
  [{ '\u0000': { b: 0 } }],
  [{ '\u0000': { b: 'x' } }],
  [{ '\u0000': { r: null } }],
  [{ '\u0000': { r: { handle: '1', as: '__proto__', data: {}, has: [] } } }],
  [{ '\u0000': { r: { handle: '1', as: 'openToolset', data: { tools: 1 }, has: ['tools.__proto__', 'tools.x', 7] } } }],
  [{ '\u0000': { r: { handle: 'x', as: 'bytes', data: {}, has: {} } } }],
  JSON.parse('{"__proto__": {"polluted": true}}'),
]

function makeMessage(random: (below: number) => number): unknown {
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  if (random(20) === 0) return pick(values)
  const payload = pick<unknown>([
    undefined,
    null,
    'x',
    {},
    { v: pick(values) },
    { v: pick(values), x: 1 },
    { v: pick(values), x: 1, b: pick<unknown>([0, 'x', -3]) },
  ])
  const error = pick<unknown>([
    undefined,
    null,
    'x',
    {},
    { code: 'INTERNAL', params: null },
    { code: '__proto__', params: {} },
    { code: 7 },
  ])
  return {
    t: pick(types),
    id: pick<unknown>([1, 2, 3, -1, 'x', null, undefined]),
    to: pick(names),
    p: payload,
    e: error,
    n: pick(values),
    ms: pick(values),
  }
}

/** One child that says a few things, most of them wrong, until it is cut off. */
async function listenTo(random: (below: number) => number): Promise<string> {
  const pipe = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const remote = openRemote({ link: pipeLink(pipe), offers: { parent: { as: 'parent', object: { blame: () => undefined } } } })
  const entry = remote.proxy('platform.x', 'platform') as { connect(context: object): Promise<unknown> }
  const connecting = entry.connect(context).then(
    () => 'connected',
    () => 'refused',
  )
  for (let count = 0; count < 8 && !pipe.destroyed; count++) {
    const text = JSON.stringify(makeMessage(random)) ?? 'null'
    const head = Buffer.alloc(4)
    head.writeUInt32BE(Buffer.byteLength(text))
    pipe.push(Buffer.concat([head, Buffer.from(text)]))
    if (random(2) === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  remote.close()
  await remote.closed
  return connecting
}

const context = {
  about: {},
  config: {},
  log: { info: () => undefined },
  state: { set: async () => undefined },
  files: { read: async function* () {} },
  receive: async () => ({ status: 'accepted' }),
  lost: () => undefined,
}

test.each([1, 2, 3, 4, 5, 6])('nothing that a child may say harms the host (seed %i)', async (seed) => {
  const random = createRandom(seed * 7919)
  const ends = new Set<string>()
  for (let child = 0; child < 300; child++) ends.add(await listenTo(random))
  expect([...ends].sort()).toEqual(['connected', 'refused'])
  expect({}).not.toHaveProperty('polluted')
  // What was thrown where nobody catches it would fail the run here.
  await new Promise((resolve) => setImmediate(resolve))
})
