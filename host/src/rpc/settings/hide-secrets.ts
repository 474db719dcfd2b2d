import { isSecretKey } from '#config/environment/secret-keys.ts'
import { isReference } from '#config/file/references.ts'
import { isTree } from '#config/schema/merge.ts'
import { maskText } from '#observe/mask.ts'

const hidden = '[secret]'

/** What may be shown of a value as it is written; `${NAME}` is no secret. */
export function hideSecrets(value: unknown, key: string, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return isSecretKey(key) && value !== '' && !isReference(value) ? hidden : maskText(value, secrets)
  if (Array.isArray(value)) return value.map((item: unknown) => hideSecrets(item, key, secrets))
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hideSecrets(item, name, secrets)]))
}

/** What a form sends back that was shown so, with the secrets in it again. */
export function bringBack(given: unknown, stored: unknown, key: string, secrets: readonly string[]): unknown {
  if (typeof given === 'string') return given !== stored && given === hideSecrets(stored, key, secrets) ? stored : given
  if (Array.isArray(given)) {
    const items: readonly unknown[] = Array.isArray(stored) ? stored : []
    return given.map((item: unknown, at) => bringBack(item, items[at], key, secrets))
  }
  if (!isTree(given)) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, item]) => [name, bringBack(item, isTree(stored) ? stored[name] : undefined, name, secrets)]),
  )
}
