import { mkdirSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { homeOf } from '#config/home/home.ts'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { controlPath } from '../instance/control-path.ts'
import { type Instance, openInstance } from '../instance/instance.ts'
import { askGateway } from './ask-gateway.ts'
import { openMethods } from './methods.ts'

let place: TestHome
let instance: Instance
let heard: boolean
beforeEach(() => {
  heard = false
  place = openTestHome()
  instance = openInstance(homeOf(place.home, 'default'), 'boot_1', systemClock)
})
afterEach(async () => {
  await instance.close()
  place[Symbol.dispose]()
})

const waiting = {
  ...({ id: 'ask_1', type: 'approval', platform: 'talk', conversation: 'ann' } as const),
  person: 'ann',
  text: 'May I?',
  choices: ['once'],
}

const open = (errors: unknown[] = [], company: object = {}) => {
  const { signal } = new AbortController()
  const home = homeOf(place.home, 'default')
  const log = { ...silentLog, error: (_text: string, about: unknown) => void errors.push(about) }
  const plugin = { id: 'toolset-mine', version: '1.0.0', state: 'ready' }
  const catalog = { plugins: [plugin] }
  const activator = { state: () => ({ state: 'ready', reason: undefined, retryAt: undefined }) }
  const options = {
    home,
    catalog,
    activator,
    generations: { number: () => 3, loaded: { environment: openEnvironment({}, { A: '1' }) } },
    clock: systemClock,
    log,
    ...company,
  }
  return openMethods(options as never, {
    status: () => ({ boot: 'b', url: 'http://x', platforms: [], queues: [] }),
    hear: async () => {
      heard = true
    },
    reload: async () => ({ generation: 4, parts: [] }),
    questions: { list: () => [waiting], answer: async (id, value) => (id === 'ask_1' && value === 'once' ? 'taken' : 'late') },
    signal,
  })
}
const ask = (method: string, params = {}) =>
  askGateway(homeOf(place.home, 'default'), method, params, { signal: new AbortController().signal, timeoutMs: 5000 })

test('a gateway tells how it is and what it runs, and takes its settings again', async () => {
  const control = await open()
  try {
    expect(await ask('status')).toEqual({
      boot: 'b',
      url: 'http://x',
      platforms: [],
      queues: [],
      pid: process.pid,
      generation: 3,
      environmentPrints: openEnvironment({}, { A: '1' }).printsOfFile('b'),
    })
    expect(heard).toBe(true)
    expect(await ask('plugins.list')).toMatchObject({ plugins: [{ id: 'toolset-mine', state: 'ready' }] })
    expect(await ask('plugins.reload')).toEqual({ generation: 4, parts: [] })
    expect(await ask('questions.list')).toEqual({ questions: [waiting] })
    expect(await ask('questions.answer', { id: 'ask_1', value: 'once' })).toEqual({ outcome: 'taken' })
    await expect(ask('questions.answer', { id: 7 })).rejects.toMatchObject({ code: 'CONTROL_REQUEST' })
  } finally {
    await control.close()
  }
})

test('one that serves profiles tells how they are, one that is served goes when it is asked to, and any other refuses', async () => {
  const profiles = [{ profile: 'work', state: 'served', url: '' }]
  const alone = await open([], { guests: { list: () => profiles } })
  expect(await ask('status')).toMatchObject({ profiles })
  await expect(ask('profile.leave')).rejects.toMatchObject({ code: 'CONTROL_REQUEST' })
  await alone.close()
  let left = 0
  const control = await open([], { guest: { leave: () => void left++ } })
  expect(await ask('profile.leave')).toBeNull()
  await expect.poll(() => left).toBe(1)
  await control.close()
})

test('where the socket cannot be made the gateway does without, and says so', async () => {
  mkdirSync(controlPath(place.home))
  const errors: unknown[] = []
  const control = await open(errors)
  expect(errors).toEqual([{ problem: expect.stringMatching(/./) }])
  await control.close()
})
