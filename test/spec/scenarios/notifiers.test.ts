// @module-tag server
import type { Notifier } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCall } from '../../../host/src/kernel/calls/call.ts'
import { specOf } from '../../../host/src/store/testing/jobs-contract.ts'
import type { ToolTurn } from '../../../host/src/tools/tool-turn.ts'
import boardNotifier from '../../../plugin-sdk/examples/kanban/src/notifier.ts'
import board from '../../../plugin-sdk/examples/kanban/src/toolset.ts'
import failures from '../../../plugin-sdk/examples/notifier/src/notifier.ts'
import { addExample, addPlatform, openReloadGateway, type ReloadGateway } from '../../support/gateways/reload-gateway.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const soon = { timeout: 10_000 }
const plugins = ['platform-calm', 'platform-loud', 'kanban-sample', 'notifier-sample']

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  for (const id of ['calm', 'loud']) addPlatform(home, id)
  addExample(home, 'kanban')
  addExample(home, 'notifier')
})
afterEach(() => home[Symbol.dispose]())

function configure(notifiers: object = {}, on: readonly string[] = plugins): void {
  const entries = Object.fromEntries(on.map((plugin) => [plugin, { enabled: true }]))
  const platforms = { calm: { allow_from: ['ann', 'bob'] }, loud: { allow_from: ['ann'], home_channel: 'room' } }
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms, notifiers }))
}

const notifiers: Readonly<Record<string, Notifier>> = { 'kanban-sample': boardNotifier, sample: failures as Notifier }

async function open(): Promise<ReloadGateway> {
  return await openReloadGateway(home, { toolsets: { 'kanban-sample': board }, notifiers })
}

/** The session in which somebody talks, once they have. */
async function sessionOf({ agent, service }: ReloadGateway, person: string): Promise<string> {
  const known = new Set((await agent.store.sessions.list({ limit: 50 })).map(({ id }) => id))
  const said = service('calm').said.length
  await service('calm').write(person, 'hello', { sender: { id: person, isBot: false }, conversation: { id: person, kind: 'dm' } })
  await expect.poll(() => service('calm').said.length, soon).toBe(said + 1)
  const found = (await agent.store.sessions.list({ limit: 50 })).find(({ id }) => !known.has(id))
  return found?.id ?? ''
}

/** Calls a tool of the board in a session, as a model there would. */
async function use({ agent }: ReloadGateway, session: string, name: string, args: object): Promise<unknown> {
  const turn = { turn: 't', session, workspace: home.work, tools: new Set([name]), approved: new Set() } as unknown as ToolTurn
  const prepared = await agent.toolbox.prepare({ id: '1', name, args: JSON.stringify(args) }, turn)
  return prepared.ready ? await prepared.run(createCall(new AbortController().signal)) : prepared
}

proves('event.outbound.sources', 'a job, a board of cards and agent send write to people who have not asked now', async () => {
  configure()
  await using opened = await open()
  const calm = opened.service('calm')
  const [ann, bob] = [await sessionOf(opened, 'ann'), await sessionOf(opened, 'bob')]
  const before = calm.said.length
  await use(opened, ann, 'kanban_create', { title: 'paint the fence' })
  await use(opened, bob, 'kanban_move', { card: '1', column: 'doing' })
  await expect.poll(() => calm.said.slice(before), soon).toEqual(['Card 1 was moved to doing: paint the fence'])
  expect(await runHere(home, ['send', 'calm:ann', 'by hand'])).toMatchObject({ code: 0 })
  await opened.agent.store.jobs.add(specOf({ prompt: 'Say hello.', deliver: 'calm:ann' }), Date.now())
  await expect.poll(() => calm.said.slice(before + 1), soon).toEqual(['by hand', expect.stringContaining('brief')])
})

test('only the conversation in which a card was made hears of it, and not of what it moves itself', async () => {
  configure()
  await using opened = await open()
  const { journal } = opened.agent.store
  const [ann, bob] = [await sessionOf(opened, 'ann'), await sessionOf(opened, 'bob')]
  await use(opened, ann, 'kanban_create', { title: 'one' })
  await use(opened, ann, 'kanban_move', { card: '1', column: 'doing' })
  await use(opened, bob, 'kanban_remove', { card: '1' })
  await expect.poll(() => opened.service('calm').said.slice(2), soon).toEqual(['Card 1 was taken off the board: one'])
  await expect.poll(() => journal.pending(), soon).toEqual([])
  expect(await opened.agent.store.kv.keys('host.events')).toEqual([])
})

/** A job whose time has passed without a run. */
async function missJob({ agent: { store, clock } }: ReloadGateway, name: string): Promise<void> {
  const dueAt = clock.now() + 3_600_000
  const { job } = await store.jobs.add(specOf({ name }), dueAt)
  await store.jobs.miss(job.id, { dueAt, nextAt: null, collapsed: 0 }, { tell: false })
}

test('a notifier that a reload switches on tells the home channel from then on, with another word of where by the next reload', async () => {
  configure({}, ['platform-calm', 'platform-loud'])
  await using opened = await open()
  await missJob(opened, 'before')
  configure({ sample: { deliver: ['loud'] } })
  await opened.gateway.reload()
  await expect.poll(() => opened.agent.store.kv.keys('host.notifiers'), soon).toEqual(['runs'])
  await missJob(opened, 'tea')
  const told = (name: string): string => `The job ${name} was missed.`
  await expect.poll(() => opened.service('loud').said, soon).toEqual([told('tea')])
  configure({ sample: { deliver: ['calm:ann'] } })
  await opened.gateway.reload()
  await missJob(opened, 'coffee')
  await expect.poll(() => opened.service('calm').said, soon).toEqual([told('coffee')])
  configure({ sample: { enabled: false } })
  await opened.gateway.reload()
  await missJob(opened, 'milk')
  await expect.poll(() => opened.agent.store.jobs.history(9), soon).toHaveLength(4)
  expect([opened.service('calm').said.length, opened.service('loud').said.length]).toEqual([1, 1])
})

test('a notifier that a reload takes away ends', async () => {
  configure({}, ['platform-calm', 'notifier-sample'])
  const signals: AbortSignal[] = []
  const sample: Notifier = {
    open: async (context, call) => {
      signals.push(context.signal)
      return await (failures as Notifier).open(context, call)
    },
  }
  await using opened = await openReloadGateway(home, { notifiers: { sample } })
  await missJob(opened, 'tea')
  await expect.poll(() => signals.length, soon).toBe(1)
  configure({}, ['platform-calm'])
  await opened.gateway.reload()
  await expect.poll(() => signals.map(({ aborted }) => aborted), soon).toEqual([true])
})

test('events wait for a gateway on disk, and what was raised before a kill is told after it', async () => {
  configure()
  let session = ''
  {
    await using opened = await open()
    const ann = await sessionOf(opened, 'ann')
    session = await sessionOf(opened, 'bob')
    await use(opened, ann, 'kanban_create', { title: 'one' })
    await opened.gateway.close()
    // The agent goes on for a moment, as a terminal of the same home would.
    await use(opened, session, 'kanban_move', { card: '1', column: 'done' })
    expect(await opened.agent.store.kv.keys('host.events')).toHaveLength(1)
  }
  await using again = await open()
  await expect.poll(() => again.service('calm').said, soon).toEqual(['Card 1 was moved to done: one'])
})
