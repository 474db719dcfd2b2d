import { isDeepStrictEqual } from 'node:util'
import { toWireError } from '../../contract/errors.ts'
import type { GateManifest, GatePerson, GateReturn, OpenGate } from '../../kinds/gate.ts'
import type { TestContext } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, requireQuick, rulesOf, type SetUp, type Stage } from './stage.ts'

interface Credentials {
  readonly name: string
  readonly password: string
}

/** A browser of the tests: it goes to an address, and gives the query with which it comes back. */
type Visit = (url: string) => Promise<Readonly<Record<string, string>>>

/** What drives a gate: people who come, and for the way `redirect` a service to which they go. */
export interface GateWorld extends SetUp, AsyncDisposable {
  /** `password`: somebody who may come in. */
  readonly right?: Credentials
  /** `password`: somebody whose password fits and who may not come in, for a gate that chooses. */
  readonly stranger?: Credentials
  /** `redirect`: a browser whose person may come in, and logs in. */
  readonly visit?: Visit
  /** `redirect`: a browser whose person does not log in, or may not come in. */
  readonly decline?: Visit
  /** A set-up whose service takes a question and never answers. */
  readonly silent?: SetUp
}

/** What the suite for gates needs. */
export interface GateContractOptions extends RunOptions<'gate'> {
  readonly world: () => Promise<GateWorld>
}

type GateStage = Stage<'gate'>
type Act = (stage: GateStage, world: GateWorld) => Promise<void>

const returnTo = 'https://agent.example/auth/callback/gate/mine'
const methods = { password: ['check'], redirect: ['begin', 'finish'] } as const

/** The rules of a gate; those of its way are tried. */
export function gateContract(options: GateContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  const { way } = declaration(options)
  return [
    rule('shape', 'the methods are exactly those of the declared way', async (stage: GateStage, world) => {
      const opened = await open(stage, stage.host(world))
      const has = (['check', 'begin', 'finish'] as const).filter((name) => typeof opened[name] === 'function')
      const wanted: readonly string[] = methods[way]
      stage.expect(isDeepStrictEqual(has, wanted), `its way is ${way}, so it has ${wanted.join(' and ')}, and not ${has.join(' and ')}`)
    }),
    ...rulesOfWay[way].map(([name, title, act]) => rule(name, title, act)),
    rule('abort', 'a login that is given up ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, async (stage: GateStage, host, world: GateWorld) => {
      await walkIn(stage, await open(stage, host), world)
    }),
  ]
}

const rulesOfWay: Readonly<Record<GateManifest['way'], readonly (readonly [rule: string, title: string, act: Act])[]>> = {
  password: [
    ['admit', 'who may come in is let in, as the same person each time', checkAdmitted],
    ['refuse', 'who does not fit, and who may not come in, is nobody', checkRefused],
  ],
  redirect: [
    ['leave', 'the browser goes to a safe address, which brings the state', checkBegin],
    ['admit', 'who may come in is let in, as the same person each time', checkAdmitted],
    ['refuse', 'who declines, or brings what belongs to another login, is nobody', checkForged],
    ['end', 'the page that ends the login at the provider has a safe address', checkEnd],
  ],
}

function declaration({ subject: { manifest, contribution } }: Pick<GateStage, 'subject'>): GateManifest {
  const found = manifest.contributes.gates.find(({ id }) => id === contribution)
  if (!found) throw new Error(`${manifest.id} has no gate ${contribution}.`)
  return found
}

async function open(stage: GateStage, host: TestContext): Promise<OpenGate> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

interface Left {
  readonly url: string
  readonly journey: Omit<GateReturn, 'query'>
}

async function begin(stage: GateStage, opened: OpenGate, state: string, signal?: AbortSignal): Promise<Left> {
  stage.expect(opened.begin !== undefined, 'it has no begin')
  const { url, kept = null } = await stage.within(opened.begin({ returnTo, state }, stage.call(signal)), 'begin')
  checkAddress(stage, url, 'begin')
  const bytes = Buffer.byteLength(JSON.stringify(kept))
  stage.expect(bytes <= 1000, `begin keeps ${bytes} bytes, and the browser keeps at most 1000`)
  return { url, journey: { returnTo, state, kept } }
}

function checkAddress(stage: GateStage, address: string, method: string): void {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  const isHere = url !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)
  stage.expect(isSafe, `${method} gives the address ${JSON.stringify(address)}, which is neither https nor on this machine`)
}

/** Somebody who may come in comes in. */
async function walkIn(stage: GateStage, opened: OpenGate, { right, visit }: GateWorld, signal?: AbortSignal): Promise<GatePerson | null> {
  if (declaration(stage).way === 'password') {
    stage.expect(right !== undefined, lacks('right'))
    stage.expect(opened.check !== undefined, 'it has no check')
    return await opened.check(right, stage.call(signal))
  }
  stage.expect(visit !== undefined, lacks('visit'))
  const { url, journey } = await begin(stage, opened, 'state-of-a-walk', signal)
  stage.expect(opened.finish !== undefined, 'it has no finish')
  return await opened.finish({ ...journey, query: await visit(url) }, stage.call(signal))
}

async function checkAdmitted(stage: GateStage, world: GateWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  const come = async (): Promise<string> => {
    const person = await stage.within(walkIn(stage, opened, world), 'a login')
    stage.expect(person !== null, 'who may come in is nobody')
    const { id } = person
    stage.expect(typeof id === 'string' && id !== '' && id.length <= 200, `the id of a person is ${JSON.stringify(id)}`)
    return id
  }
  const [first, second] = [await come(), await come()]
  stage.expect(first === second, `the same person is ${first}, and the next time ${second}`)
}

/** Nobody, or an error with a code: both admit nobody. */
async function expectNobody(stage: GateStage, login: Promise<GatePerson | null>, what: string): Promise<void> {
  const person = await stage.within(
    login.catch((error: unknown) => {
      const problem = findErrorProblem(toWireError(error))
      stage.expect(problem === undefined, `the error of ${what} ${problem}`)
      return null
    }),
    what,
  )
  stage.expect(person === null, `${what} is let in`)
}

async function checkRefused(stage: GateStage, world: GateWorld): Promise<void> {
  const { right, stranger } = world
  stage.expect(right !== undefined, lacks('right'))
  const opened = await open(stage, stage.host(world))
  const { check } = opened
  stage.expect(check !== undefined, 'it has no check')
  const wrong: readonly (readonly [Credentials, string])[] = [
    [{ ...right, password: `${right.password}x` }, 'a wrong password'],
    [{ ...right, password: '' }, 'no password'],
    [{ ...right, name: `${right.name}x` }, 'a wrong name'],
    [{ name: '', password: '' }, 'no name'],
    [{ name: '*', password: '*' }, 'a star'],
    [{ name: 'n'.repeat(200), password: 'p'.repeat(1000) }, 'a long name'],
    ...(stranger ? [[stranger, 'somebody who may not come in'] as const] : []),
  ]
  for (const [given, what] of wrong) await expectNobody(stage, check(given, stage.call()), what)
}

async function checkBegin(stage: GateStage, world: GateWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  const [first, second] = [await begin(stage, opened, 'state-one'), await begin(stage, opened, 'state-two')]
  stage.expect(first.url !== second.url, 'two logins go to the same address, so that one can end the other')
  const { visit } = world
  stage.expect(visit !== undefined, lacks('visit'))
  const { state } = await visit(first.url)
  stage.expect(state === 'state-one', `the browser comes back with the state ${JSON.stringify(state)} and not with the one it left with`)
}

async function checkForged(stage: GateStage, world: GateWorld): Promise<void> {
  const { visit, decline } = world
  stage.expect(visit !== undefined, lacks('visit'))
  stage.expect(decline !== undefined, lacks('decline'))
  const opened = await open(stage, stage.host(world))
  const { finish } = opened
  stage.expect(finish !== undefined, 'it has no finish')
  const { url, journey } = await begin(stage, opened, 'state-one')
  const brings = async (query: GateReturn['query'], what: string): Promise<void> =>
    expectNobody(stage, finish({ ...journey, query }, stage.call()), what)
  await brings({ state: 'state-one' }, 'who brings nothing')
  await brings(await decline(url), 'who declines')
  const query = await visit(url)
  const spoiled = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, name === 'state' ? value : `${value}x`]))
  await brings(spoiled, 'who brings something made up')
}

async function checkEnd(stage: GateStage, world: GateWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  if (!opened.end) return
  const found = await stage.within(opened.end({ returnTo: 'https://agent.example/' }, stage.call()), 'end')
  if (found !== null) checkAddress(stage, found.url, 'end')
}

async function checkAbort(stage: GateStage, world: GateWorld): Promise<void> {
  const { silent } = world
  const { net } = stage.subject.manifest.permissions
  stage.expect(silent !== undefined || (net?.value ?? 'none') === 'none', lacks('silent'))
  if (!silent) return requireQuick(stage, world, 'silent')
  const { control } = stage.plugin
  const opened = await open(stage, stage.host(silent))
  const controller = new AbortController()
  const login = walkIn(stage, opened, world, controller.signal).then(
    () => 'ended',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'the login did not start')
  controller.abort()
  stage.expect((await stage.within(login, 'an aborted login')) === 'rejected', 'an aborted login has ended')
  await stage.until(async () => (await control.busy()) === 0, 'the login goes on after abort')
}
