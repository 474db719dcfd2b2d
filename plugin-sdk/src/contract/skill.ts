import { detailOf } from './errors.ts'
import type { Wire } from './wire.ts'

/** What a SKILL.md says: its frontmatter, and the instructions below it. */
export interface Skill {
  readonly name: string
  /** One line. */
  readonly description: string
  /** Operating systems that it is for; none: all. */
  readonly platforms: readonly string[]
  /** Surroundings in which it is offered; none: all. */
  readonly environments: readonly string[]
  /** Names of other skills. */
  readonly related: readonly string[]
  /** Variables that its scripts need; the host asks the owner for them. */
  readonly variables?: readonly { readonly name: string; readonly prompt?: string }[]
  /** A template for jobs, from `metadata.<namespace>.blueprint`, as it is written: the host checks it where somebody wants it. */
  readonly blueprint?: Wire
  /** Markdown. */
  readonly text: string
}

/** A skill that was read, or what is wrong with its text. */
export type ParsedSkill = { readonly ok: true; readonly skill: Skill } | { readonly ok: false; readonly problem: string }

/** A skill as the host shows it. */
export interface SkillSummary {
  readonly name: string
  readonly description: string
  /** The folder that it lies in, where skills are sorted into folders. */
  readonly category?: string
  /** The plugin that brings it; absent where it is the home's own. Told where all are asked for, like what follows. */
  readonly plugin?: string
  /** Why it is not offered here: what completes "it …". Absent where it is. */
  readonly lacks?: string
}

/** What is to become of a skill of the home. A `file` is a path inside of its folder, `SKILL.md` included; `old` is a text that stands in it once. */
export type SkillChange =
  | { readonly action: 'create'; readonly skill: string; readonly text: string; readonly category?: string }
  | { readonly action: 'write'; readonly skill: string; readonly file: string; readonly text: string }
  | { readonly action: 'patch'; readonly skill: string; readonly file: string; readonly old: string; readonly text: string }
  | { readonly action: 'remove'; readonly skill: string; readonly file: string }
  | { readonly action: 'delete'; readonly skill: string }

/** Larger files of a skill are not read, in bytes. */
export const skillFileLimit = 65_536

const longestDescription = 1024
const frontmatter = /^\uFEFF?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|$)/ms

/** Reads the text of a SKILL.md; The caller parses YAML. What is wrong completes "the file …". */
export function parseSkill(text: string, parseYaml: (text: string) => unknown): ParsedSkill {
  const head = frontmatter.exec(text)
  if (head?.index !== 0) return wrong('does not begin with frontmatter between two lines of ---')
  let fields: unknown
  try {
    fields = parseLoosely(head[1] ?? '', parseYaml)
  } catch (error) {
    return wrong(`has frontmatter that is not valid YAML: ${detailOf(error).split('\n')[0] ?? ''}`)
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return wrong('has frontmatter without fields')
  return readFields(fields as Readonly<Record<string, unknown>>, text.slice(head[0].length).trim())
}

/** Many skills have a colon in an unquoted description, which other programs accept and YAML does not. */
function parseLoosely(text: string, parseYaml: (text: string) => unknown): unknown {
  try {
    return parseYaml(text)
  } catch (error) {
    const quoted = text.replaceAll(
      /^([\w-]+): (?!["'[{|>&*!])(.*: .*?)\r?$/gm,
      (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
    )
    if (quoted === text) throw error
    return parseYaml(quoted)
  }
}

function readFields(fields: Readonly<Record<string, unknown>>, text: string): ParsedSkill {
  const { name, description } = fields
  if (typeof name !== 'string' || !/^[a-zA-Z0-9][\w.-]{0,63}$/.test(name))
    return wrong('needs a name of at most 64 letters, digits, dots, hyphens and underscores')
  if (typeof description !== 'string' || description.trim() === '') return wrong('needs a description')
  const line = description.replaceAll(/\s+/g, ' ').trim()
  if (line.length > longestDescription) return wrong(`has a description of more than ${longestDescription} characters`)
  if (text === '') return wrong('has no instructions below its frontmatter')
  const platforms = words(fields.platforms)
  const environments = words(fields.environments)
  const related = words(fields.related_skills)
  if (!platforms) return wrong('has platforms that are no list of words')
  if (!environments) return wrong('has environments that are no list of words')
  if (!related) return wrong('has related_skills that are no list of words')
  const variables = variablesIn(fields)
  if (!variables) return wrong('has required_environment_variables that are no list of names, each in capitals or with a name and a prompt')
  const blueprint = blueprintIn(fields.metadata)
  const more = { ...(blueprint === undefined ? {} : { blueprint }), ...(variables.length === 0 ? {} : { variables }) }
  return { ok: true, skill: { name, description: line, platforms, environments, related, ...more, text } }
}

/** Those of `required_environment_variables`, and those of `prerequisites`, which many skills write instead. */
function variablesIn(fields: Readonly<Record<string, unknown>>): NonNullable<Skill['variables']> | undefined {
  const before = fields.prerequisites
  const older = typeof before === 'object' && before !== null && 'env_vars' in before ? before.env_vars : undefined
  const found = new Map<string, NonNullable<Skill['variables']>[number]>()
  for (const wish of [...listOf(fields.required_environment_variables), ...listOf(older)]) {
    const { name, prompt } = (typeof wish === 'object' ? (wish ?? {}) : { name: wish }) as {
      readonly name?: unknown
      readonly prompt?: unknown
    }
    if (typeof name !== 'string' || !/^[A-Z][A-Z0-9_]{0,99}$/.test(name)) return undefined
    found.set(name, { name, ...(typeof prompt === 'string' ? { prompt: prompt.replaceAll(/\s+/g, ' ').trim() } : {}) })
  }
  return [...found.values()]
}

const listOf = (value: unknown): readonly unknown[] => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value])

/** The first one of all namespaces. YAML knows nothing that is no data. */
function blueprintIn(metadata: unknown): Wire | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined
  for (const space of Object.values(metadata as Readonly<Record<string, unknown>>)) {
    if (typeof space === 'object' && space !== null && 'blueprint' in space && space.blueprint) return space.blueprint as Wire
  }
  return undefined
}

function words(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  return list.every((each) => typeof each === 'string') ? list : undefined
}

function wrong(problem: string): ParsedSkill {
  return { ok: false, problem }
}
