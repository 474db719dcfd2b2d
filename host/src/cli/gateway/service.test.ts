// @module-tag process
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import { openInstance } from '#gateway/instance/instance.ts'
import { systemClock } from '#kernel/clock.ts'
import { openFakeSystemctl } from '../../../../test/support/fakes/fake-systemctl.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { command } from '../commands/gateway.ts'

let home: TestHome
let units: string
beforeEach(() => {
  home = openTestHome()
  units = join(home.folder, '.config', 'systemd', 'user')
})
afterEach(() => home[Symbol.dispose]())

const run = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand(command, words, { environment: { ...home.environment, ...environment } })
const unitsThere = (): readonly string[] => (existsSync(units) ? readdirSync(units).filter((name) => name.endsWith('.service')) : [])

test('install writes, reads in and enables; a second time changes nothing; uninstall leaves nothing', async () => {
  const systemd = openFakeSystemctl(home.folder)
  const first = await run(['install'], systemd.environment)
  const [unit = ''] = unitsThere()
  expect(first).toMatchObject({ code: 0, note: '' })
  expect(first.out).toBe(
    [
      `The service ${unit} is installed: ${join(units, unit)}`,
      'It starts when you log in, and again when it fails. Start it now: agent gateway start',
      'To have it without a login too: loginctl enable-linger',
      '',
    ].join('\n'),
  )
  expect(systemd.calls()).toEqual(['--user daemon-reload', `--user enable ${unit}`])
  const text = readFileSync(join(units, unit), 'utf8')
  expect(text).toContain(`\nEnvironment="AGENT_HOME=${home.home}"\n`)

  const second = JSON.parse((await run(['install', '--json'], systemd.environment)).out)
  expect(second).toEqual({ unit, file: join(units, unit), home: home.home, changed: false, enabled: true, next: [] })
  expect(readFileSync(join(units, unit), 'utf8')).toBe(text)

  expect(await run(['uninstall'], systemd.environment)).toMatchObject({
    code: 0,
    out: `The service ${unit} is stopped and removed: ${join(units, unit)}\n`,
  })
  expect(systemd.calls().slice(-3)).toEqual(['--user daemon-reload', `--user disable --now ${unit}`, '--user daemon-reload'])
  expect([unitsThere(), readdirSync(join(units, 'default.target.wants'))]).toEqual([[], []])
  expect(await run(['uninstall'], systemd.environment)).toMatchObject({ code: 0, out: `No service is installed for ${home.home}.\n` })
})

test('--print shows the unit and changes nothing, not even the home', async () => {
  rmSync(home.home, { recursive: true })
  const { code, out } = await run(['install', '--print'])
  expect([code, out]).toEqual([0, expect.stringMatching(/^# Written by agent gateway install.*\nWantedBy=default\.target\n$/s)])
  expect([unitsThere(), existsSync(home.home)]).toEqual([[], false])
})

test('without a systemd that answers the unit is there, and what is left to do is said', async () => {
  const { code, out } = await run(['install'], { PATH: '/nonexistent' })
  const [unit = ''] = unitsThere()
  expect(code).toBe(0)
  expect(out).toContain(
    [
      'Your systemd does not answer here: there is no systemctl. Where it does, run:',
      '  systemctl --user daemon-reload',
      `  systemctl --user enable --now ${unit}`,
    ].join('\n'),
  )
  expect(await run(['uninstall', '--json'], { PATH: '/nonexistent' })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/"removed": true,\s+"stopped": false/),
  })
  expect(unitsThere()).toEqual([])
})

test('a unit that cannot be enabled is reported, and one that cannot be stopped is kept', async () => {
  const broken = openFakeSystemctl(home.folder, { broken: 'enable' })
  expect(await run(['install'], broken.environment)).toMatchObject({
    code: 1,
    error: 'PLUGIN_FAILED',
    note: expect.stringContaining('Failed to enable unit: it is broken.'),
  })
  rmSync(join(home.folder, 'fake-bin'), { recursive: true })
  const stuck = openFakeSystemctl(home.folder, { broken: 'disable' })
  expect(await run(['uninstall'], stuck.environment)).toMatchObject({ code: 1, error: 'PLUGIN_FAILED' })
  expect(unitsThere()).toHaveLength(1)
})

test('a second home and a profile have their own services, and removing one leaves the others', async () => {
  const { environment } = openFakeSystemctl(home.folder)
  const other = { ...environment, AGENT_HOME: join(home.folder, 'other home') }
  const usual = { ...environment, AGENT_HOME: '' }
  for (const each of [environment, other, usual]) expect(await run(['install'], each)).toMatchObject({ code: 0 })
  mkdirSync(join(home.home, 'profiles', 'work'), { recursive: true })
  const work = { environment: { ...home.environment, ...environment }, profile: 'work' }
  expect(await runCommand(command, ['install'], work)).toMatchObject({ code: 0 })
  const before = new Map(unitsThere().map((name) => [name, readFileSync(join(units, name), 'utf8')]))
  expect(before.size).toBe(4)
  expect(before.has('agent-gateway.service')).toBe(true)

  const { unit } = JSON.parse((await run(['uninstall', '--json'], other)).out)
  before.delete(unit)
  expect(new Map(unitsThere().map((name) => [name, readFileSync(join(units, name), 'utf8')]))).toEqual(before)
})

test('a profile with its own service is started by it, and not served by the default one', async () => {
  const { environment, calls } = openFakeSystemctl(home.folder, { broken: 'start' })
  const path = join(home.home, 'profiles', 'work')
  mkdirSync(path, { recursive: true })
  const serving = openInstance(homeOf(home.home, 'default'), 'boot_1', systemClock, { serves: true })
  const work = { environment: { ...home.environment, ...environment }, profile: 'work' }
  expect(await runCommand(command, ['install'], work)).toMatchObject({ code: 0 })
  const [unit = ''] = unitsThere()
  expect(await runCommand(command, ['start'], work)).toMatchObject({ code: 1, note: expect.stringContaining('Failed to start unit') })
  expect(calls().at(-1)).toBe(`--user start ${unit}`)
  await serving.close()
})

test('a unit that somebody else wrote is left alone', async () => {
  mkdirSync(units, { recursive: true })
  const file = join(units, 'agent-gateway.service')
  writeFileSync(file, '[Service]\nExecStart=/bin/true\n')
  for (const word of ['install', 'uninstall'])
    expect(await run([word], { AGENT_HOME: '' })).toMatchObject({ code: 2, error: 'USAGE', note: expect.stringContaining('is left alone') })
  expect(readFileSync(file, 'utf8')).toBe('[Service]\nExecStart=/bin/true\n')
})

test('a folder that cannot be written is named, and nothing half-written stays', async () => {
  writeFileSync(join(home.folder, '.config'), 'a file in the way')
  expect(await run(['install'])).toMatchObject({ code: 1, error: 'HOME_UNUSABLE', out: '' })
  expect(readdirSync(home.folder).sort()).toEqual(['.config', 'home', 'work'])
})
