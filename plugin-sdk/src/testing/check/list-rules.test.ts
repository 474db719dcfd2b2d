import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSdk } from '../../build/find-sdk.ts'
import { codeKinds, contractKinds } from '../../kinds/kinds.ts'
import { manifestSchema } from '../../kinds/manifest.ts'
import type { Inspected, PackageFile } from './inspect-files.ts'
import { type ListedRule, listRules } from './list-rules.ts'
import { computeQuality } from './quality.ts'
import type { RuleResult } from './rule-result.ts'

const rules = listRules()
const find = (kind: string | undefined, name: string): readonly ListedRule[] =>
  rules.filter((one) => one.kind === kind && one.rule === name)

test('every rule says in a sentence what has to hold', () => {
  const bare = rules.filter(({ title }) => !/^\S+( \S+){2,}$/.test(title) || /[.(]$|\(listed\)/.test(title))
  expect(bare).toEqual([])
  expect(rules.filter(({ rule }) => !/^[a-z][A-Za-z-]*$/.test(rule))).toEqual([])
})

test('no rule of a kind is listed twice, and every kind has some', () => {
  const keys = rules.map(({ kind, rule, title }) => [kind, rule, title].join('\n'))
  expect(new Set(keys).size).toBe(keys.length)
  for (const kind of contractKinds) expect(rules.filter((one) => one.kind === kind).length, kind).toBeGreaterThan(3)
  for (const kind of codeKinds) expect(find(kind, 'life')).toHaveLength(1)
})

test('a rule that not every contribution is asked says which are', () => {
  const of = (kind: string, rule: string) => find(kind, rule).map((one) => one.of)
  expect(of('platform', 'shape')).toEqual([undefined])
  expect(of('platform', 'inbound')).toEqual(['not door: request'])
  expect(of('platform', 'request')).toEqual(['door: request'])
  expect(of('platform', 'lost')).toEqual(['not reception: on-demand'])
  expect(of('platform', 'markup')).toEqual(['markup: tree'])
  expect(of('platform', 'edit')).toEqual(['capabilities.edit'])
  expect(of('memory', 'change')).toEqual(['capabilities.change'])
  expect(of('toolset', 'dynamic')).toEqual(['dynamicTools'])
  expect(of('hooks', 'refusal')).toEqual(['a hook that may refuse'])
  expect(of('gate', 'refuse')).toEqual(['way: password', 'way: redirect'])
  expect(of('gate', 'abort')).toEqual([undefined])
})

test('a rule counts for the lowest tier that is lost with it', () => {
  const root = join(findSdk().root, 'examples', 'platform')
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(root, 'agent.plugin.json'), 'utf8')))
  const packageFile = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageFile
  const entries = [{ name: 'platform.sample', source: join(root, 'src', 'connection.ts') }]
  const built = { manifest, entries, file: join(root, 'agent.plugin.json'), changed: false, outputs: [] }
  const inspected: Inspected = { root, packageFile, built, problem: '', fromSource: true }
  const places = ({ kind }: ListedRule) => (kind === undefined ? [undefined] : ['in process', 'in a child'])
  const listed = rules.filter(({ kind }) => kind === undefined || kind === 'platform')
  const results = listed.flatMap((one) =>
    places(one).map((place): RuleResult => {
      const { rule, title } = one
      const about = place === undefined ? {} : { entry: 'platform.sample', place }
      const isDynamic = place !== undefined || ['bundle', 'import', 'contract'].includes(rule)
      return { stage: isDynamic ? 'dynamic' : 'static', rule, title, ...about, status: 'passed', durationMs: 1 }
    }),
  )
  const missed = (broken: string, became: 'failed' | 'skipped' = 'failed'): string | undefined =>
    computeQuality({
      ...inspected,
      results: results.map((one) => ({ ...one, status: one.rule === broken ? became : one.status })),
    }).rules.find(({ status, rule }) => status === 'missed' && /rule/.test(rule))?.tier
  const alone = listed.filter(({ rule }) => !['bundle', 'import', 'contract'].includes(rule))
  expect(missed('nothing')).toBeUndefined()
  expect([missed('receipts', 'skipped'), missed('trouble', 'skipped')], 'a part that older worlds do not have').toEqual([
    'silver',
    undefined,
  ])
  expect(alone.map(({ rule }) => [rule, missed(rule)])).toEqual(alone.map(({ rule, tier }) => [rule, tier]))
})
