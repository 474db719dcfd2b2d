import { misfitOf } from '#config/environment/misfit-of.ts'
import { variables } from '#config/environment/variables.ts'
import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import { variablesWithoutEffect } from '#config/file/without-effect.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { quote } from '#kernel/schema/quote.ts'
import { type DeclaredByPlugin, listDeclared } from './declared-variables.ts'

type Settings = Pick<Loaded, 'environment' | 'placeOfVariable'>

/** Variables that do not hold what a manifest says, that nothing in this version reads, and that nothing reads at all. */
export function checkVariables(
  loaded: Settings,
  catalog: Pick<Catalog, 'plugins'>,
  given: () => readonly string[],
): readonly ConfigProblem[] {
  const declared = listDeclared(loaded, catalog)
  return [
    ...findMisfits(loaded, declared),
    ...findUnused(loaded),
    ...findUnread(loaded, new Set([...declared, ...variables].map(({ name }) => name)), given),
  ]
}

function findMisfits({ environment, placeOfVariable }: Settings, declared: readonly DeclaredByPlugin[]): readonly ConfigProblem[] {
  return declared.flatMap(({ name, secret, value, plugin }) => {
    const text = environment.reference(name)
    const misfit = text === undefined ? undefined : misfitOf(value, text)
    if (text === undefined || misfit === undefined) return []
    const problem = secret ? misfit : `${misfit}, not ${quote(text)}`
    return [{ ...placeOfVariable(name), key: name, problem, level: 'error', plugin } as const]
  })
}

function findUnused({ environment, placeOfVariable }: Settings): readonly ConfigProblem[] {
  return variablesWithoutEffect.flatMap(({ name, why }) =>
    environment.has(name) ? [{ ...placeOfVariable(name), ...noEffect(name, why) }] : [],
  )
}

/** The process has many variables that are none of ours: of those only one that is nearly one of ours is told. */
function findUnread(
  { environment, placeOfVariable }: Settings,
  own: ReadonlySet<string>,
  given: () => readonly string[],
): readonly ConfigProblem[] {
  const left = environment
    .unread()
    .filter(({ name, source }) => !own.has(name) && (source === 'env-file' || [...own].some((one) => isNear(name, one))))
  const ours = left.length === 0 ? own : new Set([...own, ...given()])
  return left.flatMap(({ name, source }) => {
    const nearest = nearestName(name, source === 'env-file' ? ours : [...ours].filter((one) => isNear(name, one)))
    if (ours.has(name) || (source === 'environment' && nearest === undefined)) return []
    const why = `nothing reads it${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
    return [{ ...placeOfVariable(name), ...noEffect(name, why), ...(nearest === undefined ? {} : { nearest }) }]
  })
}

function isNear(name: string, one: string): boolean {
  return one.length >= 10 && Math.abs(name.length - one.length) <= 2 && name.slice(0, 3).toUpperCase() === one.slice(0, 3)
}

const noEffect = (key: string, why: string): Omit<ConfigProblem, 'file' | 'line'> => ({
  ...{ key, problem: `has no effect: ${why}` },
  ...{ level: 'warning', withoutEffect: true },
})
