// @module-tag server
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openPlatformGateway, type PlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { type HomeServer, openHomeServer } from '../test/home-server.ts'

const bounded = { timeout: 20_000, interval: 20 }
const state = (entity_id: string, value: string) => ({ entity_id, state: value })

interface Rig extends AsyncDisposable {
  readonly house: HomeServer
  readonly home: TestHome
  readonly gateway: PlatformGateway
  /** Each entity goes from off to on, and the automation says that this was all. */
  changeAll(...entities: readonly string[]): void
  /** What stands on the page of notifications, in the words of the offline model. */
  shown(): readonly string[]
}

async function openRig(extra: object = {}, token = 'right'): Promise<Rig> {
  const house = await openHomeServer({ token: 'right' })
  const home = openTestHome()
  home.write('config.yaml', JSON.stringify({ platforms: { 'home-assistant': { extra, batch_ms: 0, busy_input_mode: 'queue' } } }))
  const gateway = await openPlatformGateway(home, { HASS_TOKEN: token, HASS_URL: house.server.url })
  return {
    house,
    home,
    gateway,
    changeAll: (...entities) => {
      for (const entity of entities) house.change(state(entity, 'off'), state(entity, 'on'))
      house.fire('agent_message', { text: 'note that was all' })
    },
    shown: () => [...house.notifications.values()].map((text) => /You said: (.*)/.exec(text)?.[1] ?? text),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]()
      home[Symbol.dispose]()
      await house[Symbol.asyncDispose]()
    },
  }
}

const connected = async ({ gateway }: Rig): Promise<void> =>
  await expect.poll(() => gateway.state('home-assistant'), bounded).toBe('connected')

proves(
  ['auth.messaging.home-automation', 'env.home-automation'],
  'the variables say where the house is and who comes in; a wrong token is refused for good',
  async () => {
    await using rig = await openRig()
    await connected(rig)
    expect(rig.house.logins()).toBe(1)
    await using wrong = await openRig({}, 'wrong')
    await expect.poll(() => wrong.gateway.state('home-assistant'), bounded).toBe('fatal PLATFORM_AUTH')
    expect(wrong.house.logins()).toBe(0)
  },
)

proves(
  ['event.home-automation.closed', 'event.home-automation.warning'],
  'nothing is told while nothing is watched, and the log warns of it',
  async () => {
    await using rig = await openRig()
    await connected(rig)
    rig.changeAll('light.hall', 'lock.door')
    await expect.poll(() => rig.shown().at(-1), bounded).toContain('that was all')
    expect(rig.shown()).toHaveLength(1)
    const warnings = () => rig.home.read('logs/gateway.log').match(/"level":"warn".*watch_domains/g)
    await expect.poll(warnings, bounded).toHaveLength(1)
  },
)

const watches: readonly (readonly [object, readonly string[]])[] = [
  [{ watch_domains: ['light'] }, ['light.hall (light.hall) was turned on.']],
  [{ watch_entities: ['fan.bath'] }, ['fan.bath (fan.bath) was turned on.']],
  [{ watch_all: true, ignore_entities: ['light.hall'] }, ['fan.bath (fan.bath) was turned on.']],
]

proves('config.home-automation.watch', 'domains, entities, or everything is watched', async () => {
  for (const [extra, told] of watches) {
    await using rig = await openRig(extra)
    await connected(rig)
    rig.changeAll('light.hall', 'fan.bath')
    await expect.poll(() => rig.shown().at(-1), bounded).toContain('that was all')
    expect(rig.shown().slice(0, -1)).toEqual(told)
  }
})

test('a house that went away is there again when it comes back', async () => {
  await using rig = await openRig()
  await connected(rig)
  rig.house.server.cut()
  await expect.poll(() => rig.house.logins(), bounded).toBe(2)
  await connected(rig)
  rig.changeAll()
  await expect.poll(() => rig.shown().at(-1), bounded).toContain('that was all')
})
