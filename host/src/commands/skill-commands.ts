import { fail } from '@agent/plugin-sdk/errors'
import { nearestName } from '#kernel/nearest-name.ts'
import type { KnownSkill } from '#skills/known-skills.ts'
import { formatFollowed, formatSkill } from '#skills/secrets/followed.ts'
import { typedName } from '#skills/skill-name.ts'
import { answerSkills } from './answers/answer-skills.ts'
import type { SkillDesk, SlashCall, SlashCommand } from './slash.ts'

/** Skills are for everybody who talks to the agent, so only an admin decides about them. */
export const skillsCommand: SlashCommand = {
  name: 'skills',
  aliases: [],
  args: '[pending|approve ID|reject ID|diff ID|approval on|off]',
  summary: 'Decide about skills that the agent wants to write',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ args, door, services }) => {
    door.say(await door.run('/skills', () => answerSkills(services.skillWriting, { args, name: '/skills' })))
  },
}

/** So many skills are taken for one turn. */
const mostAtOnce = 5

/** Every skill as a command, by the name that is typed. They stand in no menu of a platform: those are short, and made for commands. */
export function skillCommands(skills: Pick<SkillDesk, 'known'>): readonly SlashCommand[] {
  const names = new Set<string>()
  const isFirst = ({ name }: KnownSkill): boolean => names.size < names.add(typedName(name)).size
  return skills
    .known()
    .filter(isFirst)
    .map(({ name, description }) => ({
      ...{ name: typedName(name), aliases: [], args: '[text]', summary: description, surfaces: ['cli', 'gateway'], asks: true },
      run: (call) => askWith(name, call),
    }))
}

/** Skills whose name is that of a command: the command is run, and the skill is read by its name only. */
export function hiddenSkills(skills: readonly Pick<KnownSkill, 'name'>[], commands: readonly SlashCommand[]): readonly string[] {
  return hiddenNames(
    skills.map(({ name }) => name),
    commands,
  )
}

export function hiddenNames(names: readonly string[], commands: readonly SlashCommand[]): readonly string[] {
  const taken = new Set(commands.flatMap(({ name, aliases }) => [name, ...aliases]).map(typedName))
  return names.filter((name) => taken.has(typedName(name)))
}

/** A text, and the skills that are followed in its turn. */
export interface SkillCall {
  readonly text: string
  readonly instructions: string
}

/** Reads the skills that stand in front of a text, for doors where a slash means nothing else; undefined where none does. */
export async function readSkillCall(skills: SkillDesk, line: string): Promise<SkillCall | undefined> {
  const [whole, typed = ''] = nameInFront.exec(line.trimStart()) ?? []
  const name = whole === undefined ? undefined : findName(skills.known(), typed)
  return name === undefined || whole === undefined ? undefined : follow(skills, name, line.trimStart().slice(whole.length))
}

async function askWith(first: string, { args, door, services: { skills } }: SlashCall): Promise<void> {
  const { text, instructions } = await follow(skills, first, args)
  await door.ask(text, { instructions })
}

async function follow(skills: SkillDesk, first: string, args: string): Promise<SkillCall> {
  const { names, text } = takeNames(first, args, skills.known())
  const texts: string[] = []
  const bundles = new Set(skills.known().flatMap(({ name, isBundle }) => (isBundle ? [name] : [])))
  const read = new Set<string>()
  for (const each of names) {
    const { skills: members, instruction } = bundles.has(each) ? await skills.bundle(each) : { skills: [each], instruction: '' }
    if (instruction !== '') texts.push(instruction)
    for (const name of members.filter((member) => !read.has(member))) texts.push(formatSkill(name, await skills.view({ name })))
    for (const name of members) read.add(name)
  }
  const instructions = formatFollowed(texts)
  return { text: text === '' ? `Follow the ${names.length > 1 ? 'skills' : 'skill'} ${names.join(', ')}.` : text, instructions }
}

const nameInFront = /^\/([a-z0-9][\w.-]*)(?:\s+|$)/i

function findName(known: readonly KnownSkill[], typed: string): string | undefined {
  return known.find(({ name }) => typedName(name) === typedName(typed))?.name
}

/** The skills in front of a text, the first one taken. What is nearly one is asked about; every other word with a slash belongs to the text. */
function takeNames(
  first: string,
  args: string,
  known: readonly KnownSkill[],
): { readonly names: readonly string[]; readonly text: string } {
  const names = new Set([first])
  let text = args
  for (;;) {
    const [whole, typed = ''] = nameInFront.exec(text) ?? []
    if (whole === undefined) return { names: [...names], text }
    const name = findName(known, typed)
    if (name === undefined) {
      const typedNames = known.map((each) => typedName(each.name))
      const nearest = nearestName(typedName(typed), typedNames)
      if (nearest !== undefined) throw fail('SKILL_NOT_FOUND', { skill: typed, nearest })
      return { names: [...names], text }
    }
    names.add(name)
    if (names.size > mostAtOnce) throw fail('SKILLS_TOO_MANY', { most: mostAtOnce })
    text = text.slice(whole.length)
  }
}
