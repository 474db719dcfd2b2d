import { fail } from '@agent/plugin-sdk/errors'
import type { ListedRule } from '@agent/plugin-sdk/testing'
import { contractKinds } from '#kernel/kinds.ts'
import { type Cli, paint } from '../../console/cli.ts'
import { loadKit } from './load-kit.ts'

/** Prints what the check asks for: of plugins as a whole, and of each kind or of the one that is named. */
export async function listRules(cli: Cli, kind: string | true, { json }: { readonly json?: true }): Promise<void> {
  const known: readonly string[] = contractKinds
  if (kind !== true && !known.includes(kind)) {
    throw fail('USAGE', {
      problem: `No kind of plugin is called ${kind}: there are ${known.join(', ')}.`,
      try: 'agent plugins check --list-rules',
    })
  }
  const all = (await loadKit(cli.installRoot)).listRules()
  const rules = all.filter((rule) => kind === true || rule.kind === kind)
  if (json) return cli.json(rules)
  for (const group of [undefined, ...contractKinds])
    printGroup(
      cli,
      group ?? 'every plugin',
      rules.filter((rule) => rule.kind === group),
    )
}

function printGroup(cli: Cli, name: string, rules: readonly ListedRule[]): void {
  if (rules.length === 0) return
  cli.out(paint(cli, 'bold', name))
  for (const { rule, title, of, tier } of rules) {
    cli.out(`  ${rule.padEnd(18)} ${tier.padEnd(6)} ${title}${of === undefined ? '' : paint(cli, 'dim', ` (${of})`)}`)
  }
}
