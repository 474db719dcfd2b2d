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
    return [...mergeByName(found).values()]
  })
}

/** What a manifest lists says what it is for; what every platform has knows the values. */
function mergeByName(found: readonly DeclaredByPlugin[]): ReadonlyMap<string, DeclaredByPlugin> {
  const merged = new Map<string, DeclaredByPlugin>()
  for (const one of found) {
    const first = merged.get(one.name)
    merged.set(one.name, first ? { ...first, value: first.value ?? one.value, prompt: first.prompt || one.prompt } : one)
  }
  return merged
}
