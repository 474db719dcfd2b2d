import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { withFileLock } from '#config/home/file-lock.ts'
import type { Home } from '#config/home/home.ts'
import { readText } from '#kernel/read-text.ts'
import { findSkills } from './find-skills.ts'
import { finishPlacing, hashSkill, placeSkill } from './place-skill.ts'

/** Skills by their folder, `writing/letters`, each with the hash of its files; `set` stands for all of them. */
export interface SkillList {
  readonly set: string
  readonly skills: Readonly<Record<string, string>>
}

export interface SeedPlaces {
  /** Folder of the skills that come with the program. */
  readonly shipped: string
  readonly home: Home
}

/** What a seeding did, by folders of skills. */
export interface Seeded {
  readonly added: readonly string[]
  readonly updated: readonly string[]
  /** The person changed them, or has one of the same name. */
  readonly kept: readonly string[]
}

const mostBytes = 256 * 1024

/** What the program brings; its generator writes it. */
function readShipped(shipped: string): SkillList {
  return readList(join(shipped, 'manifest.json'))
}

/** What was put into a home. */
function readSeeded({ files }: Home): SkillList {
  return readList(files.bundledSkills)
}

/** True where a home has taken these skills already, or wants none. Reads two small files. */
export function isSeeded({ shipped, home }: SeedPlaces): boolean {
  return existsSync(home.files.noBundledSkills) || readShipped(shipped).set === readSeeded(home).set
}

/**
 * Puts the skills that come with the program into a home, and newer ones in place of those that nobody has changed. What a person changed, made or
 * deleted stays as it is. A skill is there as a whole or not at all, also after a crash.
 */
export function seedSkills(places: SeedPlaces): Seeded {
  const { home } = places
  return withFileLock(home.files.bundledSkills, () => {
    const wanted = readShipped(places.shipped)
    const before = readSeeded(home).skills
    const skills: Record<string, string> = { ...before }
    const done = { added: [] as string[], updated: [] as string[], kept: [] as string[] }
    const names = new Set(findSkills(home.files.skills).map(({ folder }) => basename(folder)))
    for (const [path, hash] of Object.entries(wanted.skills)) {
      const what = judge({ path, hash, before: before[path], home, names })
      if (what === 'added' || what === 'updated') placeSkill(join(places.shipped, path), join(home.files.skills, path))
      if (what !== 'kept' && what !== 'gone') skills[path] = hash
      if (what === 'added' || what === 'updated' || what === 'kept') done[what].push(path)
    }
    writeList(home, { set: wanted.set, skills })
    return done
  })
}

interface Case {
  readonly path: string
  readonly hash: string
  /** Its hash when it was put into the home. */
  readonly before: string | undefined
  readonly home: Home
  readonly names: ReadonlySet<string>
}

function judge({ path, hash, before, home, names }: Case): 'added' | 'updated' | 'same' | 'kept' | 'gone' {
  const folder = join(home.files.skills, path)
  finishPlacing(folder)
  if (!existsSync(folder)) {
    if (before !== undefined) return 'gone'
    return names.has(basename(path)) ? 'kept' : 'added'
  }
  const now = hashSkill(folder)
  // A crash came before the list was written.
  if (now === hash) return 'same'
  return now === before ? 'updated' : 'kept'
}

/** Deletes the skills of this list that nobody has changed. */
export function removeSeeded(home: Home, paths: readonly string[]): void {
  withFileLock(home.files.bundledSkills, () => {
    const { skills } = readSeeded(home)
    for (const path of paths) rmSync(join(home.files.skills, path), { recursive: true, force: true })
    writeList(home, { set: '', skills: Object.fromEntries(Object.entries(skills).filter(([path]) => !paths.includes(path))) })
  })
}

/** Those that lie in a home as they came. */
export function unchangedSkills(home: Home): readonly string[] {
  return Object.entries(readSeeded(home).skills).flatMap(([path, hash]) => {
    const folder = join(home.files.skills, path)
    return existsSync(folder) && hashSkill(folder) === hash ? [path] : []
  })
}

function writeList(home: Home, list: SkillList): void {
  writeFileAtomic(home.files.bundledSkills, `${JSON.stringify(list, null, 2)}\n`)
}

/** A list that is missing or spoilt is an empty one: what lies in a home is then compared by its files. */
function readList(path: string): SkillList {
  const empty = { set: '', skills: {} }
  try {
    const found: unknown = JSON.parse(readText(path, { mostBytes }) ?? '')
    if (typeof found !== 'object' || found === null || !('skills' in found && 'set' in found)) return empty
    const skills = Object.entries(found.skills as Readonly<Record<string, unknown>>)
    return { set: String(found.set), skills: Object.fromEntries(skills.filter(isListed)) }
  } catch {
    return empty
  }
}

/** A path that leads elsewhere is none: what is listed may be deleted. */
function isListed(entry: [string, unknown]): entry is [string, string] {
  const [path, hash] = entry
  return typeof hash === 'string' && /^\w[\w-]*\/\w[\w-]*$/.test(path)
}
