import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, type Inspected } from './inspect-files.ts'
import type { RuleResult } from './rule-result.ts'

type Tier = 'bronze' | 'silver' | 'gold'

/** One rule of a tier, and what became of it. */
export interface QualityRule {
  readonly tier: Tier | 'platinum'
  readonly rule: string
  /** `not-computed`: no program can tell, or not this one. */
  readonly status: 'met' | 'missed' | 'not-computed'
}

/** How good a plugin is, as far as a check can tell. Each tier asks for everything below it. */
export interface Quality {
  /** The highest tier of which every computed rule is met. */
  readonly tier: Tier | 'none'
  readonly rules: readonly QualityRule[]
}

interface Evidence extends Inspected {
  readonly results: readonly RuleResult[]
}

const common = new Set(['border', 'life', 'secrets'])
/** Worlds that were written before these rules lack their part: that is said, and costs no tier. */
const younger = new Set(['trouble'])

const computed: readonly { readonly tier: Tier; readonly rule: string; holds(evidence: Evidence): boolean }[] = [
  { tier: 'bronze', rule: 'every static rule holds', holds: ({ results }) => held(results, ({ stage }) => stage === 'static') },
  { tier: 'bronze', rule: 'the rules common to all kinds hold', holds: (evidence) => isTried(evidence, ({ rule }) => common.has(rule)) },
  { tier: 'bronze', rule: 'README.md says how to install, set up and remove it', holds: hasGuide },
  { tier: 'bronze', rule: 'package.json names a license, an author and where to report problems', holds: hasContact },
  { tier: 'bronze', rule: 'CHANGELOG.md names this version', holds: hasChange },
  { tier: 'silver', rule: 'the rules of each kind hold', holds: (evidence) => isTried(evidence, ({ place }) => place !== undefined) },
  { tier: 'silver', rule: 'it runs in a child process', holds: (evidence) => isTried(evidence, ({ place }) => place === 'in a child') },
  { tier: 'gold', rule: 'every declared capability is proved', holds: hasProof },
  { tier: 'gold', rule: 'permissions are small: addresses are listed, and no programs are run', holds: hasSmallPermissions },
]

const notComputed: readonly (readonly [QualityRule['tier'], string])[] = [
  ['bronze', 'it can be set up without editing files'],
  ['silver', 'the rules hold on every supported Node'],
  ['silver', 'an outage is logged once'],
  ['silver', 'tests cover 80 % of its logic'],
  ['silver', 'the package has a provenance attestation'],
  ['gold', 'it serves several accounts'],
  ['gold', 'its labels are translated'],
  ['gold', 'it runs for a day with flat memory'],
  ['gold', 'it is tested on Windows and macOS'],
  ['platinum', 'it activates in 50 ms and 15 MiB'],
  ['platinum', 'it has two maintainers'],
]

/** The lowest tier for which a rule counts. Whatever is tried before the rules of a kind is needed by each of them. */
export function tierOf({ stage, rule, place }: Pick<RuleResult, 'stage' | 'rule' | 'place'>): Tier {
  return stage === 'static' || place === undefined || common.has(rule) ? 'bronze' : 'silver'
}

/** Computes the quality from what was found; nothing of it can be claimed. */
export function computeQuality(evidence: Evidence): Quality {
  const rules = computed.map(({ tier, rule, holds }): QualityRule => ({ tier, rule, status: holds(evidence) ? 'met' : 'missed' }))
  let reached: Quality['tier'] = 'none'
  for (const tier of ['bronze', 'silver', 'gold'] as const) {
    if (rules.some((rule) => rule.tier === tier && rule.status === 'missed')) break
    reached = tier
  }
  return { tier: reached, rules: [...rules, ...notComputed.map(([tier, rule]): QualityRule => ({ tier, rule, status: 'not-computed' }))] }
}

function held(results: readonly RuleResult[], concerns: (result: RuleResult) => boolean): boolean {
  const found = results.filter((result) => concerns(result) && !(younger.has(result.rule) && result.status === 'skipped'))
  return found.length > 0 && found.every(({ status }) => status === 'passed')
}

/** A plugin without code has nothing to try; one whose code could not be tried proves nothing. */
function isTried({ built, results }: Evidence, concerns: (result: RuleResult) => boolean): boolean {
  if (built === undefined) return false
  return !hasCode({ built }) || held(results, (result) => result.stage === 'dynamic' && concerns(result))
}

function readText({ root }: Evidence, name: string): string {
  const file = join(root, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function hasGuide(evidence: Evidence): boolean {
  const titles = [...readText(evidence, 'README.md').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase())
  return [/install/, /set ?up|settings|configur/, /remov|uninstall/].every((word) => titles.some((title) => word.test(title)))
}

function hasContact({ packageFile }: Evidence): boolean {
  return [packageFile?.license, packageFile?.author, packageFile?.bugs].every(Boolean)
}

function hasChange(evidence: Evidence): boolean {
  const version = evidence.packageFile?.version
  return version !== undefined && readText(evidence, 'CHANGELOG.md').includes(version)
}

function hasProof(evidence: Evidence): boolean {
  const declared = (evidence.built?.manifest.contributes.platforms ?? []).flatMap(({ id, capabilities }) =>
    Object.entries(capabilities).flatMap(([name, on]) => (on ? [{ entry: `platform.${id}`, name }] : [])),
  )
  return (
    evidence.built !== undefined &&
    declared.every(({ entry, name }) => held(evidence.results, (result) => result.entry === entry && result.rule === name))
  )
}

function hasSmallPermissions({ built }: Evidence): boolean {
  const { net, run } = built?.manifest.permissions ?? {}
  const isWide = ['any', 'private', 'direct'].some((word) => net?.value.includes(word))
  return built !== undefined && !isWide && (run?.value.length ?? 0) === 0
}
