import { basename, dirname, join } from 'node:path'
import type { Log, ParsedSkill, SkillSummary, Skills } from '@agent/plugin-sdk'
import { scanName } from '#kernel/scan-text.ts'
import { type Bundle, listBundles, readBundle } from './bundles.ts'
import { findSkills, type SkillPlace, skillFile } from './find-skills.ts'
import { fits, type Here } from './here.ts'
import { type KnownSkill, listKnown, stampOf } from './known-skills.ts'
import { parseSkillFile } from './parse-skill-file.ts'
import { scanAbout } from './scan-about.ts'
import { type AboutSkill, openSkillMemory, type ReadSkill } from './skill-memory.ts'
import { gateOf, type ToolsHere } from './tool-gates.ts'
import { type FoundSkill, type ViewGround, viewSkill } from './view-skill.ts'

export interface SkillIndex {
  readonly skills: readonly FoundSkill[]
  /** What is no skill although it lies where skills do; `problem` completes "the file …". */
  readonly broken: readonly { readonly file: string; readonly problem: string }[]
}

export interface HostSkills extends Skills {
  /** All that there are, also those that are not offered here. Files are read again only when they have changed. */
  index(): Promise<SkillIndex>
  /** Those that are of use to a conversation with these tools. */
  offer(tools: ToolsHere): Promise<readonly SkillSummary[]>
  /** All of them without waiting, and without what turned out to be no skill. */
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
  /** The tools that work in this home; absent: no skill is held back for want of one. */
  readonly tools?: (() => ToolsHere) | undefined
  /** What is said beside instructions: where the files lie that skills name, and what the owner has set for them. */
  readonly forInstructions?: (() => Omit<ViewGround, 'runsOn'>) | undefined
  /** Where it is kept what skills say of themselves, so that the next process need not read them all; absent: nowhere. */
  readonly cache?: string
  readonly log: Pick<Log, 'warn'>
}

const nothingFor = (): Omit<ViewGround, 'runsOn'> => ({ files: '', settings: {} })

/** The skills of a home and of its plugins; where two have one name the first is taken, and the home is first. */
export function createSkills({ home, bundles, others, here, tools, forInstructions = nothingFor, log, cache }: SkillsOptions): HostSkills {
  const known = openSkillMemory(cache)
  const places = (): readonly SkillPlace[] => [...(home === undefined ? [] : findSkills(home)), ...others()]

  /** What a skill says of itself; it is kept until the file changes. */
  async function read({ folder, name }: SkillPlace): Promise<ReadSkill> {
    const file = join(folder, skillFile)
    const stamp = stampOf(file)
    const before = known.find(file, stamp)
    if (before) return before
    const found = aboutOf(await parseSkillFile(folder, name))
    known.keep(file, stamp, found)
    if ('problem' in found) log.warn(`${file} ${found.problem}; the skill is left out`)
    return found
  }

  async function index(): Promise<SkillIndex> {
    const skills = new Map<string, FoundSkill>()
    const broken: SkillIndex['broken'][number][] = []
    const toolsHere = tools && onFirstUse(tools)
    for (const place of places()) {
      const about = isPlain(place) ? await read(place) : { problem: 'lies in a folder with a name that cannot be shown as it is' }
      const problem = 'problem' in about ? about.problem : addTo(skills, place, about, lackOf(about, here, toolsHere))
      if (problem !== undefined) broken.push({ file: join(place.folder, skillFile), problem })
    }
    known.save()
    return { skills: [...skills.values()], broken }
  }

  /** The first of a name is taken; a second one of the person is a mistake. */
  function addTo(skills: Map<string, FoundSkill>, place: SkillPlace, about: AboutSkill, lacks: string | undefined): string | undefined {
    const first = skills.get(about.name)
    if (first) return place.plugin === undefined ? `has the same name as the skill in ${first.folder}` : undefined
    skills.set(about.name, { ...place, ...about, offered: lacks === undefined, ...(lacks === undefined ? {} : { lacks }) })
    return undefined
  }

  return {
    index,
    offer: async (wanted) => (await index()).skills.filter((skill) => lackOf(skill, here, () => wanted) === undefined).map(summarise),
    known: () => {
      const toolsHere = tools && onFirstUse(tools)
      return [...knownBundles(bundles), ...listKnown(places(), known.find, (about) => lackOf(about, here, toolsHere) === undefined)]
    },
    bundle: (name) => readBundle(bundles ?? '', name),
    list: async ({ all = false } = {}) => {
      const { skills, broken } = await index()
      if (!all) return skills.filter(({ offered }) => offered).map(summarise)
      const lame = broken.map(({ file, problem }): SkillSummary => ({ name: basename(dirname(file)), description: '', lacks: problem }))
      return [...skills.map((skill) => ({ ...summarise(skill), ...tellMore(skill) })), ...lame]
    },
    view: async (wish) =>
      viewSkill((await index()).skills, wish, { runsOn: (platforms) => fits(platforms, here.platforms), ...forInstructions() }),
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

function tellMore({ plugin, lacks }: FoundSkill): Pick<SkillSummary, 'plugin' | 'lacks'> {
  return { ...(plugin === undefined ? {} : { plugin }), ...(lacks === undefined ? {} : { lacks }) }
}

function lackOf(about: AboutSkill, here: Here, tools: (() => ToolsHere) | undefined): string | undefined {
  const { platforms, environments } = about
  const isHere = fits(platforms, here.platforms) && fits(environments, here.environments)
  return isHere ? tools && gateOf(about, tools) : `is for ${[...platforms, ...environments].join(', ')}`
}

/** Made once where somebody wants it. */
function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function aboutOf(parsed: ParsedSkill): ReadSkill {
  if (!parsed.ok) return { problem: parsed.problem }
  const { text: _, ...about } = parsed.skill
  const { injection, ...scanned } = scanAbout(about)
  return injection === undefined ? scanned.about : { problem: `has frontmatter that wants to take over the agent ("${injection}")` }
}

/** The names of its folders are told with its instructions. */
function isPlain({ folder, category = '' }: SkillPlace): boolean {
  return [category, basename(folder)].every((name) => scanName(name) === name)
}
