import { fail } from '@agent/plugin-sdk/errors'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Blueprint } from './blueprint.ts'

/** By key, else by title or key: the exact one, else the one that begins so, has it in it, or is like it. Throws BLUEPRINT_AMBIGUOUS or BLUEPRINT_NOT_FOUND. */
export function findBlueprint(catalog: readonly Blueprint[], wanted: string): Blueprint {
  const name = plain(wanted)
  const named = catalog.find(({ key }) => key === name)
  if (named) return named
  const ways: readonly ((text: string) => boolean)[] = [
    (text) => text === name,
    (text) => text.startsWith(name),
    (text) => text.includes(name),
    (text) => name.split('-').every((word) => text.includes(word)),
  ]
  for (const fits of ways) {
    const [found, ...more] = name === '' ? [] : catalog.filter(({ key, title }) => [key, plain(title)].some(fits))
    if (found && more.length === 0) return found
    if (found) throw fail('BLUEPRINT_AMBIGUOUS', { blueprint: wanted, matches: [found, ...more].map(({ key }) => key).join(', ') })
  }
  const keys = catalog.map(({ key }) => key)
  const near = nearestName(name, keys)
  const found = catalog.find(({ key }) => key === near)
  if (!found) throw fail('BLUEPRINT_NOT_FOUND', { blueprint: wanted.slice(0, 100), known: keys.join(', ') })
  return found
}

const plain = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-')
