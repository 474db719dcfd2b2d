import { kinds } from '../kinds.ts'
import { hashOf } from './plugin-files.ts'

/** What a plugin declares about itself, as far as somebody has to agree to it. Taken from the manifest as it is written. */
export interface Surface {
  /** `<list>:<id>`, and below it `<list>:<id>:<hook, command or ability>`; sorted. */
  readonly contributions: readonly string[]
  readonly tools: readonly { readonly name: string; readonly effect: string }[]
  /** By name: `net`, `fs`, `run`, … */
  readonly permissions: Readonly<Record<string, { readonly value: unknown; readonly reason: string }>>
  readonly env: readonly { readonly name: string; readonly secret: boolean; readonly required: boolean; readonly prompt: string }[]
}

type Fields = Readonly<Record<string, unknown>>

/** Reads the surface of a raw manifest. A newer host reads the same from the same file, whatever it knows besides. */
export function surfaceOf(manifest: unknown): Surface {
  const { contributes, permissions, env } = fieldsOf(manifest)
  const lists = Object.entries(fieldsOf(contributes)).map(([list, items]) => ({ list, items: itemsOf(items) }))
  return {
    contributions: lists.flatMap(({ list, items }) => items.flatMap((item) => partsOf(list, item))).sort(),
    tools: lists
      .flatMap(({ items }) => items.flatMap((item) => itemsOf(item.tools)))
      .map((tool) => ({ name: textOf(tool.name), effect: textOf(tool.effect) }))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
    permissions: Object.fromEntries(
      Object.entries(fieldsOf(permissions))
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, permission]) => [name, { value: fieldsOf(permission).value ?? null, reason: textOf(fieldsOf(permission).reason) }]),
    ),
    env: itemsOf(env)
      .map(({ name, secret, required, prompt }) => ({
        name: textOf(name),
        secret: secret === true,
        required: required === true,
        prompt: textOf(prompt),
      }))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
  }
}

/** A contribution, and what it listens to: another hook or command, or the same hook for more, is something new to agree to. */
function partsOf(list: string, item: Fields): readonly string[] {
  const id = `${list}:${textOf(item.id)}`
  const hooks = itemsOf(item.hooks).map(
    ({ name, filter }) => `${id}:${textOf(name)}${filter === undefined ? '' : ` ${canonicalJson(filter)}`}`,
  )
  const commands = itemsOf(item.commands).map(({ name }) => `${id}:${textOf(name)}`)
  // Who is served, and by whose word: a platform that says otherwise than most do.
  const standing =
    list === kinds.platform.list
      ? [...(item.reach === 'owner' ? [`${id}:reach owner`] : []), ...(item.gate === 'source' ? [`${id}:gate source`] : [])]
      : []
  const abilities =
    list !== kinds.platform.list
      ? Object.entries(fieldsOf(item.capabilities)).flatMap(([name, has]) => (has === true ? [`${id}:${name}`] : []))
      : []
  return [id, ...hooks, ...commands, ...standing, ...abilities]
}

/** SHA-256 of the surface in canonical JSON: what `--accept` names. */
export function hashSurface(surface: Surface): string {
  return hashOf(canonicalJson(surface))
}

/** True when `next` has something that `agreed` does not cover. Other words for the same thing are not wider. */
export function isWider(agreed: Surface, next: Surface): boolean {
  const effects = new Map(agreed.tools.map((tool) => [tool.name, tool.effect]))
  const known = new Set([...agreed.contributions, ...agreed.env.map(({ name }) => `env:${name}`)])
  return (
    [...next.contributions, ...next.env.map(({ name }) => `env:${name}`)].some((each) => !known.has(each)) ||
    next.tools.some(({ name, effect }) => effects.get(name) !== effect) ||
    Object.entries(next.permissions).some(([name, { value }]) => !covers(agreed.permissions[name]?.value, value))
  )
}

function covers(agreed: unknown, wanted: unknown): boolean {
  if (canonicalJson(agreed ?? null) === canonicalJson(wanted ?? null)) return true
  if (wanted === 'none') return true
  if (Array.isArray(wanted)) return wanted.every((each) => isAgreed(agreed, each))
  if (typeof wanted !== 'object' || wanted === null) return false
  return Object.entries(wanted).every(([name, value]) => covers(fieldsOf(agreed)[name] ?? [], value))
}

/** Who agreed to any host of the world has agreed to no private network, and to nothing beside the door. */
export function isAgreed(agreed: unknown, wanted: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(agreed) ? agreed : [agreed]
  return all.includes(wanted) || (all.includes('any') && !/^(?:private|direct|localhost|[\d.]+|.*:.*:.*)(?::\d+)?$/.test(String(wanted)))
}

/** JSON with sorted keys and no spaces. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const pairs = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${pairs.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function itemsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
