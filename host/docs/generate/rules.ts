import { type ListedRule, listRules } from '@agent/plugin-sdk/testing'
import { contractKinds, kinds } from '#kernel/kinds.ts'
import { code, formatPage, formatTable, type Page } from './markdown.ts'

/** Every rule of `agent plugins check`, read from the suites themselves. */
export function describeRules(): Page {
  const rules = listRules()
  const common = rules.filter((rule) => isCommon(rule, rules))
  const about = [
    '`agent plugins check` tries a plugin by these rules; `agent plugins check --list-rules` prints them. The medal is the lowest one that needs the rule:',
    'each asks for everything below it too. [Test a plugin](../../../plugin-sdk/docs/test.md) says what else a medal needs.',
  ].join('\n')
  const ofKind = contractKinds.map((kind) => {
    const own = rules.filter((rule) => rule.kind === kind && !isCommon(rule, common))
    return `## Of the kind ${code(kind)}: ${kinds[kind].title}\n\n${formatTable(['rule', 'what has to hold', 'asked of', 'medal'], own.map(rowOfKind))}`
  })
  return formatPage('rules', 'Rules of the check', [
    about,
    `## Of every plugin\n\n${formatTable(['rule', 'what has to hold', 'medal'], rules.filter(({ kind }) => kind === undefined).map(rowOf))}`,
    `## Of every kind that has code\n\n${formatTable(['rule', 'what has to hold', 'medal'], onePerRule(common).map(rowOf))}`,
    ...ofKind,
  ])
}

/** Asked of every kind that has code, in the same words. */
function isCommon({ kind, rule, title }: ListedRule, rules: readonly ListedRule[]): boolean {
  const withCode = contractKinds.filter((each) => kinds[each].code !== 'none')
  const same = rules.filter((other) => other.kind !== undefined && other.rule === rule && other.title === title)
  return kind !== undefined && withCode.every((each) => same.some((other) => other.kind === each))
}

function onePerRule(rules: readonly ListedRule[]): readonly ListedRule[] {
  return [...new Map(rules.map((rule) => [rule.rule, rule])).values()]
}

function rowOf({ rule, title, tier }: ListedRule): readonly string[] {
  return [code(rule), title, tier]
}

function rowOfKind({ rule, title, of = '', tier }: ListedRule): readonly string[] {
  return [code(rule), title, of, tier]
}
