import type { VariableValue } from '#config/environment/misfit-of.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { variablePrefix } from '#config/platform-settings.ts'
import { platformKeys } from '#config/schema/platform-keys.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'

/** A variable that a plugin reads, or that holds for what it brings. */
export interface DeclaredByPlugin {
  readonly name: string
  readonly secret: boolean
  readonly value: VariableValue | undefined
  readonly plugin: string
  readonly required: boolean
  /** What it is for; empty where nobody says. */
  readonly prompt: string
  readonly url?: string | undefined
}

/** What manifests list, and what every platform and provider has without being listed. */
export function listDeclared(
  { environment }: Pick<Loaded, 'environment'>,
  { plugins }: Pick<Catalog, 'plugins'>,
): readonly DeclaredByPlugin[] {
  return plugins.flatMap(({ id: plugin, installed }) => {
    if (!installed) return []
    const { manifest } = installed
    const plain = (name: string, prompt: string, value?: VariableValue): DeclaredByPlugin => {
      return { name, secret: false, value, plugin, required: false, prompt }
    }
    const found = [
      ...manifest.env.map(({ name, secret, value, required, prompt, url }) => ({ name, secret, value, plugin, required, prompt, url })),
      ...manifest.contributes.providers.flatMap(({ keyEnv, baseUrlEnv, label }) => [
        ...keyEnv.map((name) => plain(name, `Key of ${label}`)),
        ...(baseUrlEnv === undefined ? [] : [plain(baseUrlEnv, `Address of ${label}`, 'address')]),
      ]),
      ...manifest.contributes.platforms.flatMap(({ id, homeEnv, label }) => {
        const prefix = variablePrefix(id, environment)
        return [
          plain(`${prefix}_ALLOW_ALL_USERS`, `true lets everybody write on ${label}`, 'switch'),
          ...platformKeys.flatMap(({ key, suffixes }) => suffixes.map((suffix) => plain(`${prefix}_${suffix}`, `platforms.${id}.${key}`))),
          ...(homeEnv === undefined ? [] : [plain(homeEnv, `Where the agent reports unasked on ${label}`)]),
        ]
      }),
      ...(manifest.permissions.env?.value ?? []).map((name) => plain(name, '')),
    ]
    // A name that is listed twice keeps what is known of its value.
    return [
      ...new Map(
        [...found].sort((a, b) => Number(a.value !== undefined) - Number(b.value !== undefined)).map((one) => [one.name, one]),
      ).values(),
    ]
  })
}
