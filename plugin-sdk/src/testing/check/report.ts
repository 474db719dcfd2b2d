import type { Quality } from './quality.ts'
import type { RuleResult } from './rule-result.ts'

/** What a check has found. */
export interface CheckReport {
  readonly dir: string
  /** Null where the manifest could not be read. */
  readonly plugin: string | null
  readonly version: string | null
  readonly node: string
  /** No rule is broken, and the check was not given up. A rule that the world has no part for is skipped, and withholds `silver`. */
  readonly passed: boolean
  /** Sentences about what was not tried, and why, and about what is deprecated. */
  readonly notes: readonly string[]
  readonly rules: readonly RuleResult[]
  readonly quality: Quality
}

/** A report as JUnit XML, for programs that show results of tests. */
export function formatJunit({ plugin, dir, rules }: CheckReport): string {
  const name = escapeXml(plugin ?? dir)
  const cases = rules.map((result) => {
    const { stage, entry, rule, title, place, status, problem = '', durationMs } = result
    const about = `classname="${[name, stage, entry].filter(Boolean).map(String).map(escapeXml).join('.')}" name="${escapeXml(`${rule}: ${title}${place ? ` (${place})` : ''}`)}" time="${(durationMs / 1000).toFixed(3)}"`
    if (status === 'passed') return `    <testcase ${about}/>`
    const element = status === 'failed' ? 'failure' : 'skipped'
    return `    <testcase ${about}><${element} message="${escapeXml(problem)}"/></testcase>`
  })
  const count = (status: RuleResult['status']): number => rules.filter((rule) => rule.status === status).length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${name}" tests="${rules.length}" failures="${count('failed')}" skipped="${count('skipped')}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }

function escapeXml(text: string): string {
  // Characters that XML cannot hold in any form are left out.
  return text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '').replace(/[&<>"\n]/g, (character) => entities[character] ?? '')
}
