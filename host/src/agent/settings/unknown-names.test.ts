import { expect, test } from 'vitest'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { findUnknownNames } from './unknown-names.ts'

const contribution = (kind: string, id: string) => ({ kind, id, state: 'ready' })
const catalog = {
  plugins: [
    { id: 'platform-calm', contributions: [contribution('platform', 'calm')] },
    {
      id: 'toolset-files',
      contributions: [contribution('toolset', 'files')],
      installed: { source: 'bundled', manifest: { contributes: { providers: [], toolsets: [{ sets: ['coding'] }] } } },
    },
    {
      id: 'provider-far',
      contributions: [contribution('provider', 'far')],
      installed: { manifest: { contributes: { providers: [{ aliases: ['farther'] }] } } },
    },
  ],
} as unknown as Pick<Catalog, 'plugins'>

const placeOf = (path: readonly string[]) => ({ file: 'config.yaml', line: path.length })
const found = (change: object, problems: readonly { key: string }[] = []) =>
  findUnknownNames({ config: { ...defaultConfig, ...change }, problems: problems as never, placeOf }, catalog).map(({ key, nearest }) => [
    key,
    nearest,
  ])

test('names that belong to nothing are told, with the nearest one that does', () => {
  expect(found({ platforms: { calm: {}, calmm: {}, IRC: {} } })).toEqual([
    ['platforms.calmm', 'calm'],
    ['platforms.IRC', undefined],
  ])
  const plugins = { ...defaultConfig.plugins, entries: { 'toolset-files': {}, 'toolset-file': {} }, deny: ['platform-calme', 'clam'] }
  expect(found({ plugins })).toEqual([
    ['plugins.entries.toolset-file', 'toolset-files'],
    ['plugins.deny', 'platform-calm'],
    ['plugins.deny', 'platform-calm'],
  ])
  expect(found({ toolsets: { few: ['files'], more: ['few', 'fils'] }, platforms: { calm: { toolsets: ['mor', 'few'] } } })).toEqual([
    ['toolsets.more', 'files'],
    ['platforms.calm.toolsets', 'more'],
  ])
  expect(found({ toolsets: { mine: ['coding', 'all', '*'] } })).toEqual([])
  expect(found({ platforms: { calm: { toolsets: ['agent-cli'] } } })).toEqual([])
})

test('a provider may be called by each of its names', () => {
  const of = (provider: string) => found({ model: { ...defaultConfig.model, provider } })
  expect([of('far'), of('farther'), of('fare')]).toEqual([[], [], [['model.provider', 'far']]])
})

test('models that stand in and budgets name what is installed', () => {
  const chain = [{ provider: 'farther' }, { provider: 'fare' }]
  const budgets = [{ platform: 'calm' }, { platform: 'cli' }, {}, { platform: 'calmm' }]
  expect(found({ fallback_providers: chain, fallback_model: { provider: 'farr' }, budgets })).toEqual([
    ['fallback_model.provider', 'far'],
    ['fallback_providers.1.provider', 'far'],
    ['budgets.3.platform', 'calm'],
  ])
})

test('what is told already is not told twice', () => {
  expect(found({ platforms: { calmm: {} } }, [{ key: 'platforms.calmm' }])).toEqual([])
})

test('notifiers that are not installed and platforms that are not there are told', () => {
  const deliver = ['origin', 'all', 'local', 'calm', 'Calm:room', 'calmm:ann']
  const bell = { id: 'notifier-bell', contributions: [contribution('notifier', 'bell')] }
  const config = { ...defaultConfig, notifiers: { bell: { deliver }, bel: {} } }
  const problems = findUnknownNames({ config, problems: [], placeOf }, { plugins: [...catalog.plugins, bell as never] })
  expect(problems.map(({ key, problem }) => [key, problem])).toEqual([
    ['notifiers.bell.deliver', 'has no effect: no platform "calmm" is installed; did you mean calm?'],
    ['notifiers.bel', 'has no effect: no notifier "bel" is installed; did you mean bell?'],
  ])
})

test('gates that are not installed are told, with the whole name of the one that is meant', () => {
  const office = { id: 'gate-office', contributions: [contribution('gate', 'office')] }
  const dashboard = { ...defaultConfig.dashboard, gates: ['gate-office:office', 'gate-offic:office', 'gate-lobby:lobby'] }
  const problems = findUnknownNames({ config: { ...defaultConfig, dashboard }, problems: [], placeOf }, { plugins: [office as never] })
  expect(problems.map(({ key, problem, line }) => [key, line, problem])).toEqual([
    ['dashboard.gates', 3, 'has no effect: no gate "gate-offic:office" is installed; did you mean gate-office:office?'],
    ['dashboard.gates', 3, 'has no effect: no gate "gate-lobby:lobby" is installed'],
  ])
})
