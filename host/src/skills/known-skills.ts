import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type SkillPlace, skillFile } from './find-skills.ts'
import { readInside } from './read-inside.ts'
import type { AboutSkill, SkillMemory } from './skill-memory.ts'

/** A skill as far as it can be told without waiting. */
export interface KnownSkill {
  readonly name: string
  /** Empty where it was not read yet. */
  readonly description: string
  readonly offered: boolean
  /** It is a list of skills. */
  readonly isBundle?: true
}

/** Skills by what is remembered of them; where two have one name the first is taken. */
export function listKnown(
  places: readonly SkillPlace[],
  find: SkillMemory['find'],
  isOffered: (about: AboutSkill) => boolean,
): readonly KnownSkill[] {
  const found = new Map<string, KnownSkill>()
  for (const place of places) {
    const about = glance(place, find, isOffered)
    if (about && !found.has(about.name)) found.set(about.name, about)
  }
  return [...found.values()]
}

function glance(
  { folder, name }: SkillPlace,
  find: SkillMemory['find'],
  isOffered: (about: AboutSkill) => boolean,
): KnownSkill | undefined {
  const file = join(folder, skillFile)
  const read = find(file, stampOf(file))
  if (read && 'problem' in read) return undefined
  if (read) return { name: read.name, description: read.description, offered: isOffered(read) }
  const first = name ?? readName(folder)
  return first === undefined ? undefined : { name: first, description: '', offered: true }
}

/** What a skill that was not read yet is called: names need no YAML. */
function readName(folder: string): string | undefined {
  const found = readInside(folder, skillFile)
  return found.ok ? /^name:[ \t]*["']?([a-zA-Z0-9][\w.-]{0,63})["']?[ \t]*\r?$/m.exec(found.text)?.[1] : undefined
}

/** Changes when a file does; empty where there is none. */
export function stampOf(file: string): string {
  try {
    const { mtimeMs, size } = statSync(file)
    return `${mtimeMs} ${size}`
  } catch {
    return ''
  }
}
