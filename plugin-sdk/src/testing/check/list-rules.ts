import { type HookName, hookKinds } from '../../contract/hooks.ts'
import { type CodeKind, type ContractKind, codeKinds, contractKinds, contracts, kinds } from '../../kinds/kinds.ts'
import type { Manifest } from '../../kinds/manifest.ts'
import { type Suite, suites } from '../contract/suites.ts'
import { staticRules } from './inspect-files.ts'
import { ownRules } from './own-rules.ts'
import { type Quality, tierOf } from './quality.ts'

/** A rule of the check: what it wants, of which plugins, and for which tier it counts. */
export interface ListedRule {
  /** Absent where the rule is about the plugin as a whole. */
  readonly kind?: ContractKind
  readonly rule: string
  /** What has to hold. */
  readonly title: string
  /** Which contributions of the kind are asked, such as `door: request`; absent: all. */
  readonly of?: string
  /** The lowest tier that needs it. */
  readonly tier: Exclude<Quality['tier'], 'none'>
}

/** What a manifest may say that makes a suite ask for more or less. The first is plain where it says nothing of itself. */
interface Shape {
  readonly says: string
  readonly spec: object
}

const flagsOf = (capabilities: object): readonly Shape[] =>
  Object.keys(capabilities).map((name) => ({ says: `capabilities.${name}`, spec: { capabilities: { [name]: true } } }))

const plain = (spec: object = {}): Shape => ({ says: '', spec })

const hookOf = (kind: string): object => ({
  hooks: (Object.keys(hookKinds) as HookName[]).filter((name) => hookKinds[name] === kind).map((name) => ({ name })),
})

const shapes: Partial<Readonly<Record<ContractKind, readonly Shape[]>>> = {
  platform: [
    plain({ door: 'messaging', capabilities: {} }),
    { says: 'door: request', spec: { door: 'request' } },
    { says: 'reception: on-demand', spec: { reception: 'on-demand' } },
    { says: 'markup: tree', spec: { markup: 'tree' } },
    ...flagsOf(contracts.platform.spec.shape.capabilities.shape),
  ],
  toolset: [plain(), { says: 'dynamicTools', spec: { dynamicTools: {} } }, { says: 'setUp', spec: { setUp: {} } }],
  'web-backend': [plain({ capabilities: {} }), ...flagsOf(contracts['web-backend'].spec.shape.capabilities.shape)],
  memory: [plain({ capabilities: {} }), ...flagsOf(contracts.memory.spec.shape.capabilities.shape)],
  gate: contracts.gate.spec.shape.way.options.map((way) => ({ says: `way: ${way}`, spec: { way } })),
  hooks: [plain(hookOf('observe')), { says: 'a hook that may refuse', spec: hookOf('gate') }],
}

/** Every rule that `agent plugins check` can try: those of the files and the code, then those of each kind. */
export function listRules(): readonly ListedRule[] {
  const own = [...staticRules.map(({ rule, title }) => ({ stage: 'static', rule, title }) as const), ...Object.values(ownRules)]
  return [
    ...own.map(({ stage, rule, title }): ListedRule => ({ rule, title, tier: tierOf({ stage, rule }) })),
    ...contractKinds.flatMap(rulesOfKind),
  ]
}

function rulesOfKind(kind: ContractKind): readonly ListedRule[] {
  const asked = shapes[kind] ?? [plain()]
  const found = new Map<string, { readonly rule: string; readonly title: string; readonly says: string[] }>()
  for (const { says, spec } of asked) {
    for (const { rule, title } of casesOf(kind, { ...asked[0]?.spec, ...spec })) {
      const key = `${rule}\n${title}`
      found.set(key, found.get(key) ?? { rule, title, says: [] })
      found.get(key)?.says.push(says)
    }
  }
  const run = isCode(kind) ? ({ stage: 'dynamic', place: 'in process' } as const) : ({ stage: 'static' } as const)
  return [...found.values()].map(({ rule, title, says }) => {
    const of = describeAsked(
      says,
      asked.map((shape) => shape.says),
    )
    return { kind, rule, title, ...(of === '' ? {} : { of }), tier: tierOf({ ...run, rule }) }
  })
}

const isCode = (kind: ContractKind): kind is CodeKind => codeKinds.includes(kind as CodeKind)

/** Nothing of a suite runs until one of its cases does. */
function casesOf(kind: ContractKind, spec: object): readonly { readonly rule: string; readonly title: string }[] {
  const contribution = 'listed'
  const contributes = Object.fromEntries(
    contractKinds.map((each) => [kinds[each].list, each === kind ? [{ id: contribution, ...spec }] : []]),
  )
  const manifest = { id: 'listed', env: [], permissions: {}, contributes } as unknown as Manifest
  if (!isCode(kind)) return suites[kind]({ root: '.', manifest, contribution })
  const never = async (): Promise<never> => Promise.reject(new Error('A listed rule is not run.'))
  const place = 'listed'
  const cases = (suites[kind] as Suite<CodeKind>)({ subject: { kind, manifest, contribution, place, open: never }, world: never })
  return cases.map(({ rule, title }) => ({ rule, title: title.replace(` (${place})`, '') }))
}

/** In words of the manifest; empty where every contribution of the kind is asked. */
function describeAsked(says: readonly string[], all: readonly string[]): string {
  const others = all.filter((one) => !says.includes(one))
  if (others.length === 0) return ''
  return says.includes('') ? `not ${others.join(' or ')}` : says.join(' or ')
}
