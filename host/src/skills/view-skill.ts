import type { ParsedSkill } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { nearestName } from '#kernel/nearest-name.ts'
import { scanName, scanText } from '#kernel/scan-text.ts'
import { listFiles, type SkillPlace, skillFile, trialFile } from './find-skills.ts'
import { parseSkillFile } from './parse-skill-file.ts'
import { readInside } from './read-inside.ts'
import type { AboutSkill } from './skill-memory.ts'

/** A skill, without its instructions. */
export interface FoundSkill extends AboutSkill, Omit<SkillPlace, 'name'> {
  /** Its gates let it through on this machine. */
  readonly offered: boolean
  /** Why they do not, as what completes "it …". */
  readonly lacks?: string
}

/** What instructions are completed by. */
export interface ViewGround {
  /** Whether a skill for these systems can be followed on this one. */
  readonly runsOn: (platforms: readonly string[]) => boolean
  /** Folder of the files that skills name. */
  readonly files: string
  /** `skills.config` of config.yaml. */
  readonly settings: Readonly<Record<string, unknown>>
}

export interface ViewWish {
  readonly name: string
  readonly file?: string | undefined
  readonly session?: string | undefined
}

const mostFiles = 100
const sessionWord = `\${AGENT_SESSION_ID}`
const folderWord = `\${AGENT_SKILL_DIR}`

/** What the model reads of one of these skills: its instructions, or another file of it. */
export async function viewSkill(skills: readonly FoundSkill[], wish: ViewWish, ground: ViewGround): Promise<string> {
  const { name, file = skillFile, session } = wish
  const skill = skills.find((each) => each.name === name)
  if (!skill) {
    const nearest = nearestName(
      name,
      skills.map((each) => each.name),
    )
    throw fail('SKILL_NOT_FOUND', nearest === undefined ? { skill: name } : { skill: name, nearest })
  }
  if (!ground.runsOn(skill.platforms)) throw fail('SKILL_ELSEWHERE', { skill: name, platforms: skill.platforms.join(', ') })
  if (file === skillFile) return fillSession(instructionsOf(skill, await parseSkillFile(skill.folder, name), ground), session)
  if (file === trialFile) throw fail('SKILL_FILE', { skill: name, file, problem: 'it tries the skill, and is not for who follows it' })
  const found = readInside(skill.folder, file)
  if (!found.ok) throw fail('SKILL_FILE', { skill: name, file, problem: found.problem })
  return found.text
}

/** Instructions with the session in which they are followed; as they are where nobody knows it yet. */
export function fillSession(text: string, session: string | undefined): string {
  return session === undefined ? text : text.replaceAll(sessionWord, () => session)
}

/** The instructions, with what else there is to read and to know. */
function instructionsOf(skill: FoundSkill, parsed: ParsedSkill, ground: ViewGround): string {
  const { name, folder, related, variables = [], credentialFiles = [], settings = [] } = skill
  if (!parsed.ok) throw fail('SKILL_FILE', { skill: name, file: skillFile, problem: parsed.problem })
  const files = listFiles(folder, mostFiles)
  return [
    // Characters that nobody sees say nothing that a person agreed to.
    scanText(parsed.skill.text).text.replaceAll(folderWord, () => folder),
    files.length === 0 ? '' : describeOthers(files, folder),
    variables.length === 0 ? '' : describeSecrets(name, variables),
    credentialFiles.length === 0 ? '' : describeFiles(credentialFiles, ground.files),
    settings.length === 0 ? '' : describeSettings(settings, ground.settings),
    related.length === 0 ? '' : `Related skills: ${related.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Names that read like an instruction are only counted: its author may call a file anything. */
function describeOthers(files: readonly string[], folder: string): string {
  const names = files.flatMap((file) => scanName(file) ?? [])
  const hidden = files.length - names.length
  const more = hidden === 0 ? [] : [`- (${hidden} more, with a name that reads like an instruction)`]
  return [`Its other files, in ${folder}:`, ...names.map((name) => `- ${name}`), ...more].join('\n')
}

function describeSecrets(skill: string, variables: NonNullable<FoundSkill['variables']>): string {
  const names = variables.map(({ name }) => name).join(', ')
  return `Its scripts need ${names}. They get them where a command starts one of them and does nothing else; the owner gives them by agent skills setup ${skill}.`
}

/** Whether they are there is not said: this text stays the same while a turn goes on. */
function describeFiles(files: NonNullable<FoundSkill['credentialFiles']>, folder: string): string {
  const lines = files.map(({ path, description }) => `- ${path}${description === undefined ? '' : `: ${description}`}`)
  return `Its scripts read these files of the owner in ${folder}. Where one is missing, or a command in the sandbox cannot see it, tell the owner:\n${lines.join('\n')}`
}

function describeSettings(settings: NonNullable<FoundSkill['settings']>, values: Readonly<Record<string, unknown>>): string {
  const lines = settings.map(({ key, description, prompt, ...setting }) => {
    const value = readSetting(values, key) ?? setting.default
    const what = description ?? prompt
    const about = what === undefined ? '' : ` (${what})`
    return value === undefined ? `- ${key}${about} is not set: ask the owner.` : `- ${key}${about} is ${value}`
  })
  return `Its settings, which the owner changes by agent config set skills.config.<key> <value>:\n${lines.join('\n')}`
}

/** A value in blocks, as text; undefined where there is none. */
function readSetting(values: Readonly<Record<string, unknown>>, key: string): string | undefined {
  let value: unknown = values
  for (const part of key.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[part]
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
