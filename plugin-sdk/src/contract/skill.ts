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
  /** Toolsets and tools without which it is not offered: all of them have to be there. */
  readonly requires?: { readonly toolsets: readonly string[]; readonly tools: readonly string[] }
  /** Toolsets and tools that it stands in for: where one of them is there, it is not offered. */
  readonly fallbackFor?: { readonly toolsets: readonly string[]; readonly tools: readonly string[] }
  /** Files of the owner that its scripts read, as paths inside of the home. */
  readonly credentialFiles?: readonly { readonly path: string; readonly description?: string }[]
  /** What the owner may set for it, under `skills.config` of config.yaml; a dot in a key leads into a block. */
  readonly settings?: readonly {
    readonly key: string
    readonly description?: string
    readonly default?: string
    /** What the owner is asked. */
    readonly prompt?: string
  }[]
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
  const more = readMore(fields)
  if (typeof more === 'string') return wrong(more)
  const all = { ...(variables.length === 0 ? {} : { variables }), ...more }
  return { ok: true, skill: { name, description: line, platforms, environments, related, ...all, text } }
}

type More = Pick<Skill, 'requires' | 'fallbackFor' | 'credentialFiles' | 'settings' | 'blueprint'>

/** What few skills say of themselves; a text says what is wrong with it. */
function readMore(fields: Readonly<Record<string, unknown>>): More | string {
  const spaces = spacesIn(fields.metadata)
  const gates: { -readonly [Key in GateKey]?: readonly string[] } = {}
  for (const key of gateKeys) {
    const found = words(spaces.flatMap((space) => listOf(space[key])))
    if (!found) return `has ${key} that are no list of words`
    gates[key] = found
  }
  const { requires_toolsets = [], requires_tools = [], fallback_for_toolsets = [], fallback_for_tools = [] } = gates
  const credentialFiles = credentialFilesIn(fields.required_credential_files)
  if (!credentialFiles)
    return 'has required_credential_files that are no list of paths inside of the home, each alone or with a description'
  const settings = settingsIn(spaces)
  if (!settings) return 'has a config in its metadata that is no list of settings, each with a key'
  const blueprint = spaces.find((space) => space.blueprint)?.blueprint
  return {
    ...(requires_toolsets.length + requires_tools.length === 0 ? {} : { requires: { toolsets: requires_toolsets, tools: requires_tools } }),
    ...(fallback_for_toolsets.length + fallback_for_tools.length === 0
      ? {}
      : { fallbackFor: { toolsets: fallback_for_toolsets, tools: fallback_for_tools } }),
    ...(credentialFiles.length === 0 ? {} : { credentialFiles }),
    ...(settings.length === 0 ? {} : { settings }),
    // YAML knows nothing that is no data.
    ...(blueprint === undefined ? {} : { blueprint: blueprint as Wire }),
  }
}

const gateKeys = ['requires_toolsets', 'requires_tools', 'fallback_for_toolsets', 'fallback_for_tools'] as const
type GateKey = (typeof gateKeys)[number]

/** What programs say under their names. */
function spacesIn(metadata: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof metadata !== 'object' || metadata === null) return []
  return Object.values(metadata).filter((space) => typeof space === 'object' && space !== null && !Array.isArray(space))
}

function credentialFilesIn(value: unknown): NonNullable<Skill['credentialFiles']> | undefined {
  const found: NonNullable<Skill['credentialFiles']>[number][] = []
  for (const wish of listOf(value)) {
    const { path, description } = (typeof wish === 'object' ? (wish ?? {}) : { path: wish }) as Readonly<Record<string, unknown>>
    if (typeof path !== 'string' || !isPathInside(path)) return undefined
    found.push({ path, ...lineOf('description', description) })
  }
  return found
}

/** Made of plain names: what leads elsewhere, hides or breaks a line is none. */
const isPathInside = (path: string): boolean =>
  path.length <= 200 && path.split('/').every((part) => /^[\w.-][\w .-]*$/.test(part) && !/^\.+$/.test(part))

function settingsIn(spaces: readonly Readonly<Record<string, unknown>>[]): NonNullable<Skill['settings']> | undefined {
  const found: NonNullable<Skill['settings']>[number][] = []
  for (const wish of spaces.flatMap(({ config }) => listOf(config))) {
    const setting = (typeof wish === 'object' ? (wish ?? {}) : {}) as Readonly<Record<string, unknown>>
    const { key } = setting
    if (typeof key !== 'string' || !/^[a-z][\w-]*(?:\.[a-z][\w-]*){0,4}$/i.test(key) || key.length > 100) return undefined
    const texts = ['description', 'default', 'prompt'].map((name) => lineOf(name, setting[name]))
    found.push(Object.assign({ key }, ...texts) as NonNullable<Skill['settings']>[number])
  }
  return found
}

function lineOf(key: string, value: unknown): Readonly<Record<string, string>> {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  const line = isPlain ? String(value).replaceAll(/\s+/g, ' ').trim() : ''
  return line === '' ? {} : { [key]: line }
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

function words(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  return list.every((each) => typeof each === 'string') ? list : undefined
}

function wrong(problem: string): ParsedSkill {
  return { ok: false, problem }
}
