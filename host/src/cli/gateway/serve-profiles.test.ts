// @module-tag server
import { EventEmitter } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Platform, PlatformContext } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenAgent, type openAgent, openAgent as openHere } from '#agent/open-agent.ts'
import { homeOf } from '#config/home/home.ts'
import { deleteProfile } from '#config/home/profiles.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import { type Gateway, openGateway } from '#gateway/gateway.ts'
import type { GatewayStatus } from '#gateway/instance/gateway-status.ts'
import { findInstance, noteStopped, noteWanted, openInstance } from '#gateway/instance/instance.ts'
import type { ReloadReport } from '#gateway/reload/reload-report.ts'
import { systemClock } from '#kernel/clock.ts'
import type { SafeModeFlags } from '#rpc/home/safe-mode.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'
import { addProfile } from '../../../../test/support/gateways/profile-home.ts'
import { addPlatform, writeSwitches } from '../../../../test/support/gateways/reload-gateway.ts'
import { importSourceEntry } from '../../../../test/support/source-entry.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { openServing, type Serving } from './serve-profiles.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
const signal = new AbortController().signal
const context = { installRoot, profile: undefined, signal, note: () => undefined }

let home: TestHome
let closers: (() => Promise<void>)[]
beforeEach(() => {
  home = openTestHome()
  closers = []
  home.write('config.yaml', 'gateway: { multiplex_profiles: true, http: { port: 0 } }\nplatforms: { api-server: { enabled: false } }\n')
})
afterEach(async () => {
  for (const close of closers.reverse()) await close()
  home[Symbol.dispose]()
})

/** A profile with a made-up platform that is called back, and that says on request what it was given. */
function addWork(name: string): TestHome {
  const profile = addProfile(home, name)
  addPlatform(profile, 'bell', { singletonLock: 'BELL_TOKEN' })
  writeSwitches(profile, ['platform-bell'])
  profile.write('.env', `BELL_TOKEN=token-of-${name}\nAGENT_INFERENCE_PROVIDER=offline\nAGENT_OFFLINE_OPEN=true\n`)
  return profile
}

interface Rig {
  readonly first: OpenAgent
  readonly gateway: Gateway
  readonly serving: Serving
  readonly source: EventEmitter
  readonly said: string[]
  /** How often each profile has connected. */
  readonly contexts: Map<string, PlatformContext[]>
}

async function openRig(environment: Readonly<Record<string, string>> = {}, flags: SafeModeFlags = {}): Promise<Rig> {
  const contexts = new Map<string, PlatformContext[]>()
  const [source, said]: [EventEmitter, string[]] = [new EventEmitter(), []]
  const open: typeof openAgent = (options) =>
    openHere({
      ...options,
      importEntry: async (contribution) =>
        contribution.plugin.source === 'bundled' ? importSourceEntry(contribution) : { default: createBell(contexts) },
    })
  const locks = join(home.folder, 'locks')
  const given = { ...home.environment, ...environment }
  const first = await open({ ...context, environment: given, logName: 'gateway' })
  closers.push(() => first.close())
  const serving = openServing({
    ...context,
    environment: given,
    flags,
    first,
    source,
    open,
    out: (text) => void said.push(text.trim()),
  })
  const services = createSlashServices({ ...context, environment: given }, first)
  const gateway = await openGateway({ ...first, services, random: () => 0, company: serving.company, locks })
  closers.push(async () => void (await Promise.all([gateway.close(), serving.close()])))
  await serving.start()
  return { first, gateway, serving, source, said, contexts }
}

function createBell(contexts: Map<string, PlatformContext[]>): Platform {
  return {
    async connect(given) {
      const { profile } = given.about
      contexts.set(profile, [...(contexts.get(profile) ?? []), given])
      await given.http.route('/bell', async () => ({ status: 200, body: `${profile} ${await given.secrets.find('BELL_TOKEN')}` }))
      return {
        send: async () => ({ status: 'sent', platformId: '1' }),
        lastHeard: async () => systemClock.now(),
        close: async () => undefined,
      }
    },
  }
}

const workHome = (name = 'work') => homeOf(home.home, name)
const reload = (): Promise<ReloadReport> =>
  askGateway(homeOf(home.home, 'default'), 'plugins.reload', null, { signal }) as Promise<ReloadReport>

test('each profile is served from its own home by its own variables, and is called back below its prefix', async () => {
  addWork('work')
  addWork('home')
  const { contexts, said, serving } = await openRig({ BELL_TOKEN: 'token-of-the-start' })
  expect(said.sort()).toEqual(['Profile home is served.', 'Profile work is served.'])
  const { url } = (await contexts.get('work')?.[0]?.http.route('/second', async () => ({ status: 200 }))) ?? { url: '' }
  const origin = new URL(url).origin
  const answers = await Promise.all(
    ['/p/work/bell', '/p/home/bell', '/bell', '/p/other/bell'].map(async (path) => {
      const answer = await fetch(`${origin}${path}`)
      return answer.ok ? answer.text() : answer.status
    }),
  )
  expect(answers).toEqual(['work token-of-work', 'home token-of-home', 404, 404])
  expect(findInstance(workHome())).toMatchObject({ pid: process.pid, servedBy: 'default' })
  expect(existsSync(workHome().files.state)).toBe(true)
  expect(serving.activity()).toEqual({ running: 0, finished: 0 })
  const conversation = { id: 'ann', kind: 'dm' } as const
  const sender = { id: 'ann', isBot: false }
  await contexts.get('work')?.[0]?.receive({ id: 'm1', account: 'bot', conversation, sender, text: 'hello', addressed: true })
  await expect.poll(() => serving.activity(), { timeout: 10_000 }).toEqual({ running: 0, finished: 1 })
  // Each of many profiles hears of the end of the process, and Node does not take that for a leak.
  expect(process.getMaxListeners()).toBe(0)
})

test('one that cannot be opened is named with the reason, and the others run', async () => {
  for (const name of ['broken', 'busy', 'resting', 'work']) addWork(name)
  home.write('profiles/broken/config.yaml', 'model: [\n')
  const own = openInstance(workHome('busy'), 'boot_own', systemClock)
  closers.push(() => own.close())
  noteStopped(workHome('resting'), systemClock)
  const { serving } = await openRig()
  expect(serving.company.guests?.list()).toEqual([
    { profile: 'broken', state: 'failed', url: '', error: expect.objectContaining({ code: 'CONFIG_BROKEN' }) },
    { profile: 'busy', state: 'failed', url: '', error: expect.objectContaining({ code: 'GATEWAY_RUNNING' }) },
    { profile: 'resting', state: 'stopped', url: '' },
    { profile: 'work', state: 'served', url: '' },
  ])
})

test('two profiles with one token are not both connected with it', async () => {
  addWork('one')
  addWork('two').write('.env', 'BELL_TOKEN=token-of-one\nAGENT_INFERENCE_PROVIDER=offline\nAGENT_OFFLINE_OPEN=true\n')
  const { contexts } = await openRig()
  expect([...contexts.values()].flat()).toHaveLength(1)
  const states = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const { platforms } = (await askGateway(workHome(name), 'status', null, { signal })) as GatewayStatus
      return platforms.find(({ platform }) => platform === 'bell')?.error?.code ?? 'connected'
    }),
  )
  expect(states.sort()).toEqual(['CREDENTIAL_IN_USE', 'connected'])
})

test('a reload serves what was made, mended and started meanwhile, and lets go what is gone', async () => {
  addWork('work')
  addWork('gone')
  const { contexts } = await openRig()
  addWork('late')
  rmSync(workHome('gone').path, { recursive: true })
  const { profiles } = await reload()
  expect(profiles?.map(({ profile, state }) => `${profile} ${state}`).sort()).toEqual(['gone gone', 'late served'])
  expect(contexts.get('work')).toHaveLength(1)
  expect(contexts.get('gone')?.[0]?.signal.aborted).toBe(true)
  // What was removed by hand does not come back by itself.
  expect((await reload()).profiles?.map(({ state }) => state)).toEqual(['stopped'])
})

test('one profile can be taken out, be deleted then, and come back where it is not', async () => {
  addWork('work')
  const { contexts, serving } = await openRig()
  expect(() => deleteProfile(home.environment, 'work')).toThrow('The gateway of the default profile serves profile "work".')
  await askGateway(workHome(), 'profile.leave', null, { signal })
  await expect.poll(() => findInstance(workHome())).toBeUndefined()
  expect(contexts.get('work')?.[0]?.signal.aborted).toBe(true)
  noteStopped(workHome(), systemClock)
  expect((await reload()).profiles).toEqual([{ profile: 'work', state: 'stopped', url: '' }])
  noteWanted(workHome(), systemClock)
  expect((await reload()).profiles).toEqual([{ profile: 'work', state: 'served', url: '' }])
  expect(serving.company.guests?.list()).toHaveLength(1)
  await askGateway(workHome(), 'profile.leave', null, { signal })
  await expect.poll(() => findInstance(workHome())).toBeUndefined()
  deleteProfile(home.environment, 'work')
  expect(existsSync(workHome().path)).toBe(false)
})

test('an error that nobody caught ends the connections of the plugin in its stack, for the profile that has it', async () => {
  addWork('work')
  addWork('home')
  const { contexts, source } = await openRig()
  const error = new Error('boom')
  error.stack = `Error: boom\n    at tick (${join(workHome().files.pluginsLocal, 'platform-bell', 'dist', 'platform.js')}:1:1)`
  source.emit('uncaughtException', error)
  await expect.poll(() => contexts.get('work')?.length, { timeout: 10_000 }).toBe(2)
  expect(contexts.get('home')).toHaveLength(1)
  source.emit('unhandledRejection', 'token-of-work was refused')
  await expect.poll(() => home.read('logs/errors.log')).toContain('was refused')
  expect(home.read('logs/errors.log')).not.toContain('token-of-work')
})

test('at its end all are closed, nothing is served any more, and the process is as it was', async () => {
  addWork('work')
  const most = process.getMaxListeners()
  const { serving } = await openRig()
  await serving.close()
  expect(findInstance(workHome())).toBeUndefined()
  expect(process.getMaxListeners()).toBe(most)
  addWork('late')
  expect(await serving.company.guests?.renew()).toEqual([])
})

test('safe mode holds for all of them', async () => {
  addWork('work')
  const { contexts, serving } = await openRig({}, { safeMode: true })
  expect(serving.company.guests?.list()).toMatchObject([{ profile: 'work', state: 'served' }])
  expect(contexts.size).toBe(0)
})
