import { type CodeKind, kinds, specsOf } from '../../kinds/kinds.ts'
import type { Manifest } from '../../kinds/manifest.ts'

interface Tried {
  readonly kind: CodeKind
  readonly manifest: Manifest
  readonly contribution: string
}

type Fields = Readonly<Record<string, unknown>>

/** The settings of a test as the host would hand them in: with the defaults of the manifest. What does not fit stays as it is. */
export function fillSettings(tried: Tried, config: unknown): unknown {
  return fillDefaults(settingsSchema(tried), config)
}

/** The schema of the settings that a contribution gets, where it has any. */
export function settingsSchema({ kind, manifest, contribution }: Tried): unknown {
  const own = specsOf(manifest, kind).find(({ id }) => id === contribution)?.configSchema
  return own ?? (kinds[kind].settings === 'own' ? undefined : manifest.configSchema)
}

/** JSON Schema leaves defaults to its reader: those inside of a default are filled in too. */
export function fillDefaults(schema: unknown, value: unknown): unknown {
  if (!isFields(schema)) return value
  const given = value === undefined ? schema.default : value
  if (Array.isArray(given)) return given.map((item: unknown) => fillDefaults(schema.items, item))
  if (!isFields(given) || !isFields(schema.properties)) return given
  const filled: Record<string, unknown> = { ...given }
  for (const [name, inner] of Object.entries(schema.properties)) {
    const fitting = fillDefaults(inner, given[name])
    if (fitting !== undefined) filled[name] = fitting
  }
  return filled
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
