import { readFileSync } from 'node:fs'
import type { ToolResult, ToolRun } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type HomeServer, openHomeServer } from '../test/home-server.ts'
import { tools as definitions } from './tools.ts'
import toolset from './toolset.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Rig {
  readonly home: HomeServer
  readonly run: (tool: keyof typeof definitions, args: object, signal?: AbortSignal) => Promise<ToolResult>
}

const states = [
  { entity_id: 'light.hall', state: 'on', attributes: { friendly_name: 'Hall', brightness: 180 } },
  { entity_id: 'light.attic', state: 'off', attributes: { friendly_name: 'Under the roof' } },
  { entity_id: 'sensor.out', state: '3.1', attributes: { unit_of_measurement: '°C' }, last_changed: '2026-01-26T01:37:24+00:00' },
]

async function openRig(token = 'right', more: typeof states = []): Promise<Rig> {
  const home = await openHomeServer({ token: 'right', states: [...states, ...more] })
  closers.push(() => home[Symbol.asyncDispose]())
  const secrets = { HASS_TOKEN: token, HASS_URL: home.server.url }
  const host = openTestContext({ manifest, contribution: 'homeassistant', config: {}, secrets })
  closers.push(() => host.close())
  const { tools } = await toolset.open(host.context, { id: 'c', signal: new AbortController().signal, deadline: 1000 })
  return {
    home,
    run: (tool, args, signal = new AbortController().signal) =>
      (tools[tool] as ToolRun)(
        {
          id: 'c',
          session: 's',
          turn: 't',
          workspace: '/',
          args: definitions[tool].parameters.parse(args),
          progress: () => undefined,
          ask: never,
        },
        { id: 'c', signal, deadline: 1000 },
      ),
  }
}

const never = async (): Promise<never> => {
  throw new Error('nobody is asked')
}
const text = (result: ToolResult): string => (result.ok ? result.text : String(result.error.params?.detail ?? result.error.params?.problem))

test('entities are listed in order, by domain and by a word of id or name', async () => {
  const { run } = await openRig()
  expect(text(await run('ha_list_entities', {}))).toBe(
    'light.attic: off (Under the roof)\nlight.hall: on (Hall)\nsensor.out: 3.1 °C (sensor.out)',
  )
  expect(text(await run('ha_list_entities', { domain: 'sensor' }))).toBe('sensor.out: 3.1 °C (sensor.out)')
  expect(text(await run('ha_list_entities', { search: 'ROOF' }))).toBe('light.attic: off (Under the roof)')
  expect(text(await run('ha_list_entities', { domain: 'lock' }))).toBe('No entities were found.')
})

test('a large house is cut, and says so', async () => {
  const many = Array.from({ length: 300 }, (_, index) => ({
    entity_id: `switch.s${index}`,
    state: 'on',
    attributes: { friendly_name: 'S' },
  }))
  const { run } = await openRig('right', many)
  const lines = text(await run('ha_list_entities', {})).split('\n')
  expect([lines.length, lines.at(-1)]).toEqual([201, '… and 103 more: narrow it by domain or by a word.'])
})

test('a state comes with its attributes; one that is not there is a failure in words', async () => {
  const { run } = await openRig()
  expect(text(await run('ha_get_state', { entity_id: 'sensor.out' }))).toBe(
    'sensor.out: 3.1 °C\nsince: 2026-01-26T01:37:24+00:00\nattributes: {"unit_of_measurement":"°C"}',
  )
  const missing = await run('ha_get_state', { entity_id: 'light.none' })
  expect(missing).toMatchObject({
    ok: false,
    error: { code: 'TOOL_FAILED', params: { detail: expect.stringContaining('404: Entity not found.') } },
  })
})

test('services are listed without those that are blocked', async () => {
  const { run } = await openRig()
  expect(text(await run('ha_list_services', {}))).toBe(
    'light: turn_on, turn_off\nnotify: mobile_app_phone\npersistent_notification: create',
  )
  expect(text(await run('ha_list_services', { domain: 'light' }))).toBe(
    'light.turn_on(brightness_pct, transition): Turns lights on.\nlight.turn_off(): Turns lights off.',
  )
  expect(text(await run('ha_list_services', { domain: 'shell_command' }))).toBe('No services were found.')
})

test('a service is called with entity and data, and tells what changed', async () => {
  const { home, run } = await openRig()
  const args = { domain: 'light', service: 'turn_on', entity_id: 'light.hall', data: { brightness_pct: 40 } }
  expect(text(await run('ha_call_service', args))).toBe('light.turn_on was called.\nlight.hall: on')
  expect(home.calls).toEqual([{ service: 'light.turn_on', data: { brightness_pct: 40, entity_id: 'light.hall' } }])
  expect(text(await run('ha_call_service', { domain: 'light', service: 'explode' }))).toMatch(/answered 400/)
})

test.each(['shell_command', 'command_line', 'python_script', 'pyscript', 'hassio', 'rest_command'])('%s is not called', async (domain) => {
  const { home, run } = await openRig()
  const refused = await run('ha_call_service', { domain, service: 'reboot' })
  expect(refused).toMatchObject({ ok: false, error: { code: 'TOOL_ARGUMENTS' } })
  expect(home.server.journal).toEqual([])
})

test('what could lead elsewhere does not fit', () => {
  const { ha_get_state: state, ha_call_service: call } = definitions
  for (const entity_id of ['light', 'light.', 'light.a/b', '../config', 'Light.a', 'light.a.b', '']) {
    expect(state.parameters.safeParse({ entity_id }).success, entity_id).toBe(false)
    expect(call.parameters.safeParse({ domain: 'light', service: 'turn_on', entity_id }).success, entity_id).toBe(false)
  }
  for (const name of ['a/b', 'a.b', '', 'A', '..'])
    expect(call.parameters.safeParse({ domain: name, service: 'x' }).success, name).toBe(false)
})

test('a wrong token, a broken server and an end have their words', async () => {
  const wrong = await openRig('wrong')
  expect(text(await wrong.run('ha_list_entities', {}))).toMatch(/refused the token \(HASS_TOKEN\)/)
  const { home, run } = await openRig()
  home.server.breakNext({ type: 'drop' }, { type: 'status', status: 200, body: '<html>' })
  expect(text(await run('ha_list_services', {}))).toMatch(/cannot be reached/)
  expect(text(await run('ha_list_services', {}))).toBe('the answer of Home Assistant cannot be read.')
  const controller = new AbortController()
  const hanging = run('ha_get_state', { entity_id: 'light.hanging' }, controller.signal)
  controller.abort()
  await expect(hanging).rejects.toMatchObject({ code: 'INTERRUPTED' })
})
