import { createHash } from 'node:crypto'
import { fail } from '@agent/plugin-sdk/errors'
import { isSecretName } from './secret-names.ts'
import { type Variable, variablePatterns, variables } from './variables.ts'

/** A variable of a plugin's manifest. */
export interface DeclaredVariable {
  readonly name: string
  readonly secret: boolean
}

/** How the variables of a platform are called, and what stands before its messages. */
export interface PlatformNames {
  /** Start of each, where it is not the id in capitals. */
  readonly prefix?: string | undefined
  /** The one of the home conversation, where it does not follow from the prefix. */
  readonly home?: string | undefined
  /** Its standard header. */
  readonly header?: string | undefined
}

export type VariableSource = 'environment' | 'env-file'

/** A name with a value that may be meant for something else. */
export interface UnreadVariable {
  readonly name: string
  readonly source: VariableSource
}

export interface Environment {
  /** The value, from the process or else from the home's `.env`; an empty one counts as unset. A name that nobody lists throws. */
  get(name: string): string | undefined
  /** Whether any name, listed or not, has a value. */
  has(name: string): boolean
  /** Where the value comes from. */
  source(name: string): VariableSource | undefined
  /** What `${name}` in config.yaml stands for; the user chooses these names. The value counts as a secret when `secret` is set. */
  reference(name: string, options?: { readonly secret?: boolean }): string | undefined
  /** Makes the variables of the manifests readable. */
  declare(listed: readonly DeclaredVariable[]): void
  /** What a platform's manifest says about its variables. */
  declarePlatform(id: string, names: PlatformNames): void
  platform(id: string): PlatformNames | undefined
  /** A secret that does not come from a variable (written into config.yaml); masked from now on. */
  keepSecret(value: string): void
  /** Every secret value known so far, longest first, for masking. */
  secrets(): readonly string[]
  /** Names with a value that neither the program nor a manifest lists and that no `${name}` of config.yaml means. */
  unread(): readonly UnreadVariable[]
  /** A print of each value of `.env` as it was read, by which two processes see whether they read the same and learn nothing else. */
  printsOfFile(salt: string): Readonly<Record<string, string>>
  /** For programs that tools start: the user's own environment without secrets. */
  forChildren(): Record<string, string>
}

// Shorter values are words such as "on" or "test": masking them would make a log unreadable and protect nothing.
const shortestMasked = 6

export function openEnvironment(
  processEnvironment: Readonly<Record<string, string | undefined>>,
  envFile: Readonly<Record<string, string>> = {},
  declared: readonly DeclaredVariable[] = [],
): Environment {
  const listed = new Map<string, { readonly secret: boolean }>(variables.map((variable: Variable) => [variable.name, variable]))
  const kept = new Set<string>()
  const referred = new Set<string>()
  const platforms = new Map<string, PlatformNames>()
  let masked: readonly string[] | undefined

  const source = (name: string): VariableSource | undefined => {
    if (processEnvironment[name]) return 'environment'
    return Object.hasOwn(envFile, name) && envFile[name] ? 'env-file' : undefined
  }
  const read = (name: string): string | undefined => {
    const from = source(name)
    if (from === undefined) return undefined
    return from === 'environment' ? processEnvironment[name] : envFile[name]
  }
  const isRead = (name: string): boolean => listed.has(name) || referred.has(name)
  const isSecret = (name: string): boolean => listed.get(name)?.secret ?? isSecretName(name)

  const declare = (names: readonly DeclaredVariable[]): void => {
    for (const { name, secret } of names) {
      const known = listed.get(name)
      listed.set(name, { secret: secret || (known?.secret ?? false) })
    }
    masked = undefined
  }
  declare(declared)

  const secrets = (): readonly string[] => {
    if (masked) return masked
    const found = new Set(kept)
    for (const from of [processEnvironment, envFile]) {
      for (const [name, value] of Object.entries(from)) if (value && isSecret(name)) found.add(value)
    }
    masked = [...found].filter((value) => value.length >= shortestMasked).sort((a, b) => b.length - a.length)
    return masked
  }
  const keepSecret = (value: string): void => {
    if (kept.has(value)) return
    kept.add(value)
    masked = undefined
  }

  return {
    get(name) {
      if (!listed.has(name) && !hasPattern(name)) throw fail('INTERNAL', { detail: `the variable ${name} is read but not listed` })
      return read(name)
    },
    has: (name) => source(name) !== undefined,
    source,
    reference(name, options) {
      const value = read(name)
      referred.add(name)
      if (value !== undefined && options?.secret) keepSecret(value)
      return value
    },
    declare,
    declarePlatform: (id, names) => void platforms.set(id, names),
    platform: (id) => platforms.get(id),
    keepSecret,
    secrets,
    unread: () => Object.keys({ ...processEnvironment, ...envFile }).flatMap((name) => (isRead(name) ? [] : toUnread(name, source(name)))),
    printsOfFile: (salt) => Object.fromEntries(Object.entries(envFile).map(([name, value]) => [name, printOf(name, value, salt)])),
    forChildren() {
      const hidden = new Set(secrets())
      const isHidden = (name: string, value: string): boolean => isSecretName(name) || isSecret(name) || hidden.has(value)
      const children: Record<string, string> = {}
      for (const [name, value] of Object.entries(processEnvironment)) {
        if (value !== undefined && !isHidden(name, value)) children[name] = value
      }
      return children
    },
  }
}

const hasPattern = (name: string): boolean => variablePatterns.some(({ pattern }) => pattern.test(name))

function printOf(name: string, value: string, salt: string): string {
  return createHash('sha256')
    .update(JSON.stringify([salt, name, value]))
    .digest('hex')
}

function toUnread(name: string, source: VariableSource | undefined): readonly UnreadVariable[] {
  return source === undefined ? [] : [{ name, source }]
}
