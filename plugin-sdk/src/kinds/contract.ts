import type * as z from 'zod'

/** What is wrong with a manifest, and where. */
export interface Problem {
  readonly path: string
  readonly problem: string
}

/** Turns a schema of a definition into the JSON Schema of the manifest. */
export type Convert = (schema: z.core.$ZodType, path: string) => Record<string, unknown>

/** What a kind adds to a manifest: the schema of one contribution, and what that schema cannot say. */
export interface KindContract<Spec extends z.ZodType = z.ZodType> {
  readonly spec: Spec
  /** Names that must point to something; `path` is where the contribution stands. */
  problems?(spec: z.output<Spec>, path: string): readonly Problem[]
  /** Variables that it reads, beside its `env`, by their field. */
  variables?(spec: z.output<Spec>): Readonly<Record<string, string | undefined>>
  /** Names of its parts, of which a plugin has each once. */
  parts?: { readonly called: string; of(spec: z.output<Spec>): readonly string[] }
  /** Fields that a definition writes in another way than a manifest. */
  write?(written: Readonly<Record<string, unknown>>, path: string, convert: Convert): Readonly<Record<string, unknown>>
}

export function defineKind<Spec extends z.ZodType>(contract: KindContract<Spec>): KindContract<Spec> {
  return contract
}

/** The problems of names that are there more than once. */
export function repeated(names: readonly string[], path: string): readonly Problem[] {
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => ({ path: `${path}.${name}`, problem: 'is declared twice' }))
}
