import * as z from 'zod'

/** What in a value does not fit a schema of the manifest, with its key in front; undefined where all fits. */
export function findMisfit(schema: unknown, value: unknown): string | undefined {
  if (schema === undefined) return undefined
  const { error } = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value)
  const [issue] = error?.issues ?? []
  return issue && [issue.path.join('.'), issue.message].filter(Boolean).join(': ')
}
