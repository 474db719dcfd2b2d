import type { WireError } from '@agent/plugin-sdk'
import { listForms } from '#gateway/setup/platform-form.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'

/** What connects a platform again whose settings are refused, without a restart of the gateway. */
export interface PlatformMend {
  /** Asks for the variables, tries them and lets the running gateway take them over. */
  readonly command: string
  /** Those of which another value may be wanted. */
  readonly variables: readonly string[]
}

/** Failures that another value mends, and nothing else. */
const codes: ReadonlySet<string> = new Set(['PLATFORM_AUTH', 'ENV_MISSING', 'ENV_INVALID'])

/** Undefined where something else is wrong, or nobody sets the platform up by a form. */
export function findMend(
  { catalog, loaded: { environment } }: Pick<OpenedCatalog, 'catalog' | 'loaded'>,
  platform: string,
  error: WireError | undefined,
): PlatformMend | undefined {
  if (error === undefined || !codes.has(error.code)) return undefined
  const form = listForms(catalog, environment).find(({ id }) => id === platform)
  if (!form) return undefined
  const named = form.fields.filter(({ name }) => name === error.params.name)
  const used = form.fields.filter(({ name, secret }) => secret && environment.has(name))
  const [fields = []] = [named, used, form.fields.filter(({ required }) => required)].filter(({ length }) => length > 0)
  return { command: `agent gateway setup ${platform}`, variables: fields.map(({ name }) => name) }
}
