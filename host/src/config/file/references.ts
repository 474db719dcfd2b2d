import type { Environment } from '../environment/environment.ts'
import { isSecretKey } from '../environment/secret-keys.ts'
import { isTree } from '../schema/merge.ts'
import { reference } from '../schema/reference-names.ts'
import type { Misfit } from '../schema/validate.ts'

/** True for a text that names a variable instead of holding a value. */
export function isReference(text: string): boolean {
  return text.search(reference) !== -1
}

/** The password of an address is a secret wherever it is shown without its address. */
function keepPasswords(text: string, environment: Environment): void {
  for (const [, password = ''] of text.matchAll(/:\/\/[^\s/?#:@]*:([^\s/?#]+)@/g)) environment.keepSecret(password)
}

export interface Resolved {
  readonly value: unknown
  readonly misfits: readonly Misfit[]
  /** Keys whose secret stands in the file itself. */
  readonly openSecrets: readonly (readonly string[])[]
}

/** Puts the values of variables where `${NAME}` stands, and tells the environment which values are secret. */
export function resolveReferences(tree: unknown, environment: Environment): Resolved {
  const misfits: Misfit[] = []
  const openSecrets: string[][] = []
  const resolveText = (text: string, path: string[]): string => {
    const secret = isSecretKey(path.at(-1) ?? '')
    if (secret && text !== '' && !isReference(text)) {
      environment.keepSecret(text)
      openSecrets.push(path)
    }
    if (text.includes('://')) keepPasswords(text, environment)
    return text.replace(reference, (_whole, name: string) => {
      const value = environment.reference(name, { secret })
      if (value === undefined) misfits.push({ path, problem: `refers to ${name}, which is not set`, unknownKey: false })
      return value ?? ''
    })
  }
  const resolve = (value: unknown, path: string[]): unknown => {
    if (typeof value === 'string') return resolveText(value, path)
    if (Array.isArray(value)) return value.map((item, index) => resolve(item, [...path, String(index)]))
    if (!isTree(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, [...path, key])]))
  }
  return { value: resolve(tree, []), misfits, openSecrets }
}
