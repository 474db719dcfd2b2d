import { basename, dirname, join } from 'node:path'
import { type Log, type ParsedSkill, parseSkill, type SkillSummary, type Skills } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { nearestName } from '#kernel/nearest-name.ts'
import { type Bundle, listBundles, readBundle } from './bundles.ts'
import { findSkills, listFiles, type SkillPlace, skillFile, trialFile } from './find-skills.ts'
import { fits, type Here } from './here.ts'
import { type KnownSkill, listKnown, stampOf } from './known-skills.ts'
import { readInside } from './read-inside.ts'
import { type AboutSkill, openSkillMemory, type ReadSkill } from './skill-memory.ts'

/** A skill, without its instructions. */
export interface FoundSkill extends AboutSkill, Omit<SkillPlace, 'name'> {
  /** Its gates let it through on this machine. */
  readonly offered: boolean
}

export interface SkillIndex {
  readonly skills: readonly FoundSkill[]
  /** What is no skill although it lies where skills do; `problem` completes "the file …". */
  readonly broken: readonly { readonly file: string; readonly problem: string }[]
}

export interface HostSkills extends Skills {
  /** All that there are, also those that are not offered here. Files are read again only when they have changed. */
  index(): Promise<SkillIndex>
  /** The same, without waiting, and without what turned out to be no skill. */
  known(): readonly KnownSkill[]
  /** The skills that a name stands for; a bundle of that name comes before a skill. */
  bundle(name: string): Promise<Bundle>
}

export interface SkillsOptions {
  /** The person's own; undefined leaves them out. */
  readonly home: string | undefined
  /** Folder of their bundles; absent: none. */
  readonly bundles?: string | undefined
  /** Those of plugins, in their order. */
  readonly others: () => readonly SkillPlace[]
  readonly here: Here
  /** Where it is kept what skills say of themselves, so that the next process need not read them all; absent: nowhere. */
  readonly cache?: string
  readonly log: Pick<Log, 'warn'>
}

const mostFiles = 100

/** The skills of a home and of its plugins; where two have one name the first is taken, and the home is first. */
export function createSkills({ home, bundles, others, here, log, cache }: SkillsOptions): HostSkills {
  const known = openSkillMemory(cache)
  const isOffered = ({ platforms, environments }: AboutSkill): boolean =>
    fits(platforms, here.platforms) && fits(environments, here.environments)
  const places = (): readonly SkillPlace[] => [...(home === undefined ? [] : findSkills(home)), ...others()]

  /** What a skill says of itself; it is kept until the file changes. */
  async function read({ folder, name }: SkillPlace): Promise<ReadSkill> {
    const file = join(folder, skillFile)
    const stamp = stampOf(file)
    const before = known.find(file, stamp)
    if (before) return before
    const found = aboutOf(await parse(folder, name))
    known.keep(file, stamp, found)
    if ('problem' in found) log.warn(`${file} ${found.problem}; the skill is left out`)
    return found
  }

  async function index(): Promise<SkillIndex> {
    const skills = new Map<string, FoundSkill>()
    const broken: SkillIndex['broken'][number][] = []
    for (const place of places()) {
      const about = await read(place)
      const problem = 'problem' in about ? about.problem : addTo(skills, place, about)
      if (problem !== undefined) broken.push({ file: join(place.folder, skillFile), problem })
    }
    known.save()
    return { skills: [...skills.values()], broken }
  }

  /** The first of a name is taken; a second one of the person is a mistake. */
  function addTo(skills: Map<string, FoundSkill>, place: SkillPlace, about: AboutSkill): string | undefined {
    const first = skills.get(about.name)
    if (first) return place.plugin === undefined ? `has the same name as the skill in ${first.folder}` : undefined
    skills.set(about.name, { ...place, ...about, offered: isOffered(about) })
    return undefined
  }

  async function view({ name, file = skillFile }: { readonly name: string; readonly file?: string | undefined }): Promise<string> {
    const { skills } = await index()
    const skill = skills.find((each) => each.name === name)
    if (!skill) {
      const nearest = nearestName(
        name,
        skills.map((each) => each.name),
      )
      throw fail('SKILL_NOT_FOUND', nearest === undefined ? { skill: name } : { skill: name, nearest })
    }
    if (!fits(skill.platforms, here.platforms)) throw fail('SKILL_ELSEWHERE', { skill: name, platforms: skill.platforms.join(', ') })
    if (file === skillFile) return instructionsOf(skill, await parse(skill.folder, skill.name))
    if (file === trialFile) throw fail('SKILL_FILE', { skill: name, file, problem: 'it tries the skill, and is not for who follows it' })
    const found = readInside(skill.folder, file)
    if (!found.ok) throw fail('SKILL_FILE', { skill: name, file, problem: found.problem })
    return found.text
  }

  return {
    index,
    known: () => [...knownBundles(bundles), ...listKnown(places(), known.find, isOffered)],
    bundle: (name) => readBundle(bundles ?? '', name),
    list: async ({ all = false } = {}) => {
      const { skills, broken } = await index()
      if (!all) return skills.filter(({ offered }) => offered).map(summarise)
      const lame = broken.map(({ file, problem }): SkillSummary => ({ name: basename(dirname(file)), description: '', lacks: problem }))
      return [...skills.map((skill) => ({ ...summarise(skill), ...tellMore(skill) })), ...lame]
    },
    view,
  }
}

function knownBundles(folder: string | undefined): readonly KnownSkill[] {
  return (folder === undefined ? [] : listBundles(folder)).map((name) => ({
    ...{ name, description: 'Follow several skills together', offered: true, isBundle: true },
  }))
}

function summarise({ name, description, category }: FoundSkill): SkillSummary {
  return { name, description, ...(category === undefined ? {} : { category }) }
}

function tellMore({ plugin, offered, platforms, environments }: FoundSkill): Pick<SkillSummary, 'plugin' | 'lacks'> {
  const surroundings = [...platforms, ...environments].join(', ')
  return { ...(plugin === undefined ? {} : { plugin }), ...(offered ? {} : { lacks: `is for ${surroundings}` }) }
}

/** The instructions, with what else there is to read. */
function instructionsOf({ name, folder, related, variables = [] }: FoundSkill, parsed: ParsedSkill): string {
  if (!parsed.ok) throw fail('SKILL_FILE', { skill: name, file: skillFile, problem: parsed.problem })
  const files = listFiles(folder, mostFiles)
  return [
    parsed.skill.text,
    files.length === 0 ? '' : `Its other files, in ${folder}:\n${files.map((file) => `- ${file}`).join('\n')}`,
    variables.length === 0 ? '' : describeSecrets(name, variables),
    related.length === 0 ? '' : `Related skills: ${related.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function describeSecrets(skill: string, variables: NonNullable<FoundSkill['variables']>): string {
  const names = variables.map(({ name }) => name).join(', ')
  return `Its scripts need ${names}. They get them where a command starts one of them and does nothing else; the owner gives them by agent skills setup ${skill}.`
}

async function parse(folder: string, name: string | undefined): Promise<ParsedSkill> {
  const found = readInside(folder, skillFile)
  if (!found.ok) return found
  // The library is loaded by those only who have a skill.
  const yaml = await import('yaml')
  const parsed = parseSkill(found.text, (text) => yaml.parse(text, { logLevel: 'error' }))
  if (!parsed.ok || name === undefined || parsed.skill.name === name) return parsed
  return { ok: false, problem: `says that it is ${parsed.skill.name}, not ${name}` }
}

function aboutOf(parsed: ParsedSkill): ReadSkill {
  if (!parsed.ok) return { problem: parsed.problem }
  const { text: _, ...about } = parsed.skill
  return about
}
