import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type * as z from 'zod'
import type { deprecationsSchema } from './deprecations-schema.ts'

/** What a plugin may still use and should not any more: since which version of agent, the version that ends it, and what to use. */
export type Deprecations = z.output<typeof deprecationsSchema>

export type Deprecation = Pick<Deprecations['names'][number], 'since' | 'until' | 'use'>

/** The table that an SDK ships. */
export async function readDeprecations(sdk: string): Promise<Deprecations> {
  // A start leads through this file, and has no time for the schema.
  const { deprecationsSchema: schema } = await import('./deprecations-schema.ts')
  return schema.parse(JSON.parse(await readFile(join(sdk, 'deprecated.json'), 'utf8')))
}

/** As the tag `@deprecated` of a name says it, and each notice to an author. */
export function describeDeprecation({ since, until, use }: Deprecation): string {
  return `since ${since}, served until ${until}: use ${use}`
}
