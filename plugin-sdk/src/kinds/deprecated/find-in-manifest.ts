import type { Deprecation, Deprecations } from './deprecations.ts'

/** Something deprecated in a manifest, as its author would look for it. */
export interface DeprecatedPlace extends Deprecation {
  readonly what: string
}

/** What a manifest has that is deprecated. It is read as it is written: a field that is left out is not used, whatever its default. */
export function findInManifest(
  manifest: unknown,
  { fields, contracts }: Pick<Deprecations, 'fields' | 'contracts'>,
): readonly DeprecatedPlace[] {
  const { contributes, ...top } = toRecord(manifest)
  const all = { ...top, ...toRecord(contributes) }
  const versions = toRecord(top.api)
  return [
    ...contracts
      .filter((row) => versions[row.contract] === row.version)
      .map((row) => ({ ...row, what: `version ${row.version} of the contract ${row.contract}` })),
    ...fields.flatMap((row) => findPlaces(all, row.field.split('.')).map((place) => ({ ...row, what: place.join('.') }))),
  ]
}

/** The places to which a path leads; `*` stands for every member of a list. */
function findPlaces(value: unknown, [step, ...rest]: readonly string[], place: readonly string[] = []): readonly (readonly string[])[] {
  if (value === undefined) return []
  if (step === undefined) return [place]
  const go = (next: unknown, name: string): readonly (readonly string[])[] => findPlaces(next, rest, [...place, name])
  if (step !== '*') return go(toRecord(value)[step], step)
  return Object.entries(toRecord(value)).flatMap(([key, member]) => go(member, nameOf(member) ?? key))
}

function nameOf(member: unknown): string | undefined {
  const { id, name } = toRecord(member)
  return [id, name].find((each) => typeof each === 'string')
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
