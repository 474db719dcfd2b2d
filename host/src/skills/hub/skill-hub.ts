import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { systemClock } from '#kernel/clock.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { findSkills } from '../find-skills.ts'
import { type JudgedSkill, judgeSkill } from '../judge-skill.ts'
import { hashSkill, placeSkill } from '../place-skill.ts'
import { changeSkillLock, type LockedSkill, readSkillLock, stateOf } from '../skill-lock.ts'
import { type FetchOptions, fetchSkills } from './fetch-skills.ts'
import { parseSource } from './skill-source.ts'

/** A skill of a source that was looked at; `problem` says why it is none. */
export type OfferedSkill = {
  readonly folder: string
  readonly name: string
  readonly hash: string
  readonly resolved: string
} & ({ readonly judged: JudgedSkill } | { readonly problem: string })

/** For whom skills are fetched. */
export interface HubCaller extends Pick<FetchOptions, 'environment' | 'installRoot' | 'signal'> {
  /** From which a path of a file is read. */
  readonly cwd: string
  /** Tells a person what takes long. */
  readonly progress?: <T>(text: string, act: () => Promise<T>) => Promise<T>
}

/** Does something with the skills of a source, which lie in a folder that is gone afterwards. */
export async function withOffered<T>(
  { cwd, environment, installRoot, signal, progress = (_text, act) => act() }: HubCaller,
  home: Home,
  word: string,
  act: (offered: readonly OfferedSkill[]) => Promise<T>,
): Promise<T> {
  const source = parseSource(word, cwd)
  const hub = join(home.files.skills, '.hub')
  mkdirSync(hub, { recursive: true, mode: 0o700 })
  const staging = mkdtempSync(join(hub, 'staging-'))
  try {
    // Marks the end of npm's way up in search of a project, whose settings would hold.
    writeFileSync(join(staging, 'package.json'), '{"private":true}')
    const fetched = await progress(`Fetching ${source.text}`, () =>
      fetchSkills(source, { staging, environment, installRoot, signal, fetch }),
    )
    const offered: OfferedSkill[] = []
    for (const folder of fetched.folders) {
      const judged = await judgeSkill(folder)
      const about = { folder, hash: hashSkill(folder), resolved: fetched.resolved }
      offered.push('problem' in judged ? { ...about, ...judged, name: basename(folder) } : { ...about, judged, name: judged.skill.name })
    }
    return await act(offered)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** The skills that somebody means: those named, or the only one there is. */
export function choose(word: string, offered: readonly OfferedSkill[], names: readonly string[]): readonly OfferedSkill[] {
  const all = offered.map(({ name }) => name)
  if (names.length === 0) {
    if (offered.length === 1) return offered
    throw fail('USAGE', { problem: `${word} has several skills: ${all.join(', ')}.`, try: `agent skills install ${word} ${all[0] ?? ''}` })
  }
  return names.map((name) => {
    const found = offered.find((each) => each.name === name)
    if (found) return found
    const nearest = nearestName(name, all)
    throw fail('SKILL_NOT_FOUND', nearest === undefined ? { skill: name } : { skill: name, nearest })
  })
}

/** Refuses what is dangerous, and what needs a look that nobody has given. */
export async function requireSound(skill: OfferedSkill, agree: (judged: JudgedSkill) => Promise<boolean>): Promise<JudgedSkill> {
  const refuse = (problem: string): Error => fail('SKILL_REFUSED', { skill: skill.name, problem })
  if ('problem' in skill) throw refuse(skill.problem)
  const { judged } = skill
  if (judged.verdict === 'dangerous') throw refuse(judged.findings.join('; '))
  if (judged.verdict === 'caution' && !(await agree(judged))) throw refuse('nobody has agreed to it')
  return judged
}

type Kept = 'installed' | 'updated' | 'same'

/** Puts a judged skill into the home, unless a person has one of that name or has edited it. */
export function keepSkill(home: Home, source: string, { name, folder, hash, resolved }: OfferedSkill): Kept {
  let done: Kept = 'installed'
  changeSkillLock(home, (before) => {
    done = judgePlace(home, name, hash, Object.hasOwn(before, name) ? before[name] : undefined)
    if (done === 'same') return before
    placeSkill(folder, join(home.files.skills, name))
    const installedAt = new Date(systemClock.now()).toISOString()
    return { ...before, [name]: { source, resolved, hash, installedAt } }
  })
  return done
}

function judgePlace(home: Home, name: string, hash: string, locked: LockedSkill | undefined): Kept {
  const refuse = (problem: string): Error => fail('SKILL_REFUSED', { skill: name, problem })
  if (!locked) {
    const other = findSkills(home.files.skills).find((place) => basename(place.folder) === name)
    if (other) throw refuse(`you have a skill of that name in ${other.folder}`)
    return 'installed'
  }
  const state = stateOf(home, name, locked)
  if (state === 'edited') throw refuse('you have edited it, and your edits stay')
  if (state === 'missing') return 'installed'
  return locked.hash === hash ? 'same' : 'updated'
}

export type SourceState = 'current' | 'newer' | 'edited' | 'missing' | 'gone' | 'unreachable'

export interface CheckedSkill extends LockedSkill {
  readonly name: string
  readonly state: SourceState
  readonly problem: string | null
}

/** Compares what is installed with what its sources have now. */
export async function checkSkills(caller: HubCaller, home: Home, names: readonly string[]): Promise<readonly CheckedSkill[]> {
  const rows: CheckedSkill[] = []
  for (const [name, locked] of namedIn(home, names)) {
    const local = stateOf(home, name, locked)
    const found = local === 'unchanged' ? await compare(caller, home, name, locked) : { state: local, problem: null }
    rows.push({ name, ...locked, ...found })
  }
  return rows
}

async function compare(
  caller: HubCaller,
  home: Home,
  name: string,
  { source, hash }: LockedSkill,
): Promise<Pick<CheckedSkill, 'state' | 'problem'>> {
  try {
    return await withOffered(caller, home, source, async (offered) => {
      const found = offered.find((each) => each.name === name)
      return { state: !found ? 'gone' : found.hash === hash ? 'current' : 'newer', problem: null }
    })
  } catch (error) {
    if (!isAgentError(error) || caller.signal.aborted) throw error
    if (error.code === 'SKILL_NOT_OPTIONAL') return { state: 'gone', problem: null }
    return { state: 'unreachable', problem: detailOf(error) }
  }
}

/** The installed skills that are meant, all where none is named. */
export function namedIn(home: Home, names: readonly string[]): readonly (readonly [string, LockedSkill])[] {
  const lock = readSkillLock(home)
  const strange = names.find((name) => !Object.hasOwn(lock, name))
  if (strange !== undefined) {
    const nearest = nearestName(strange, Object.keys(lock))
    throw fail('SKILL_NOT_INSTALLED', nearest === undefined ? { skill: strange } : { skill: strange, nearest })
  }
  return Object.entries(lock)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .sort(([left], [right]) => (left < right ? -1 : 1))
}

/** Deletes an installed skill; the person has agreed where it was edited. */
export function removeSkill(home: Home, name: string): void {
  changeSkillLock(home, ({ [name]: _, ...rest }) => {
    const folder = join(home.files.skills, name)
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
    return rest
  })
}

/** Installs a skill, or updates it, exactly as somebody has looked at it and agreed to what was found. */
export async function installAgreed(
  caller: HubCaller,
  home: Home,
  { source, name, hash }: { readonly source: string; readonly name: string; readonly hash: string },
): Promise<Kept> {
  return withOffered(caller, home, source, async (offered) => {
    const [skill] = choose(source, offered, [name])
    if (skill?.hash !== hash)
      throw fail('SKILL_REFUSED', { skill: name, problem: 'its source has something else now than what was looked at; look at it again' })
    await requireSound(skill, async () => true)
    return keepSkill(home, source, skill)
  })
}

export interface InstalledSkill extends LockedSkill {
  readonly name: string
  readonly state: ReturnType<typeof stateOf>
  /** Of what lies there now; undefined where nothing that is a skill does. */
  readonly judged: Pick<JudgedSkill, 'verdict' | 'findings'> | undefined
}

/** What was installed, and what the scanner says of it as it is now. */
export async function listInstalled(home: Home): Promise<readonly InstalledSkill[]> {
  return await Promise.all(
    namedIn(home, []).map(async ([name, locked]) => {
      const state = stateOf(home, name, locked)
      const found = state === 'missing' ? undefined : await judgeSkill(join(home.files.skills, name))
      return { name, ...locked, state, judged: found === undefined || 'problem' in found ? undefined : found }
    }),
  )
}
