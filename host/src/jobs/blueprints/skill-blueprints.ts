import type { Wire } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { fullDayNames } from '../parse-schedule.ts'
import type { Blueprint, BlueprintSlot } from './blueprint.ts'
import { shipped } from './shipped.ts'

/** A skill, as far as it is about blueprints. */
export interface SkillWithBlueprint {
  readonly name: string
  readonly description: string
  readonly offered: boolean
  readonly blueprint?: Wire
}

export interface BlueprintCatalog {
  readonly blueprints: readonly Blueprint[]
  /** What a skill brings that is none, in a sentence each. */
  readonly broken: readonly string[]
}

/** A line of a list, with nothing in it that steers a terminal or breaks the line. */
const line = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(200),
    z.regex(/^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+$/u, { error: 'it is one line of text' }),
  )
const plain = z.pipe(
  z.union([z.string(), z.number(), z.boolean()]),
  z.transform((value) => String(value)),
)

const slot = z.object({
  name: z.string().check(z.regex(/^[a-z_][\w-]{0,50}$/i)),
  type: z.enum(['time', 'enum', 'text', 'weekdays']),
  label: z.optional(line),
  default: z._default(plain, ''),
  options: z.optional(z.array(plain)),
  optional: z.optional(z.boolean()),
  help: z.optional(line),
  strict: z.optional(z.boolean()),
})

const block = z.object({
  key: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,63}$/))),
  title: z.optional(line),
  description: z.optional(line),
  category: z._default(line, 'skills'),
  schedule_template: line,
  prompt_template: z.string().check(z.minLength(1), z.maxLength(20_000)),
  slots: z._default(z.array(slot).check(z.maxLength(20)), []),
  skills: z._default(z.array(line).check(z.maxLength(4)), []),
  tags: z._default(z.array(line).check(z.maxLength(20)), []),
})

/** The shipped blueprints and those of the skills that are offered here. A run of what a skill brings follows that skill. */
export function catalogOf(skills: readonly SkillWithBlueprint[]): BlueprintCatalog {
  const blueprints = new Map(shipped.map((each) => [each.key, each]))
  const broken: string[] = []
  for (const skill of skills) {
    if (!skill.offered || skill.blueprint === undefined) continue
    const read = readBlueprint(skill)
    const problem = typeof read === 'string' ? read : blueprints.has(read.key) ? `there is a blueprint ${read.key} already` : undefined
    if (problem !== undefined) broken.push(`The blueprint of the skill ${skill.name} is left out: ${problem}.`)
    else if (typeof read !== 'string') blueprints.set(read.key, read)
  }
  return { blueprints: [...blueprints.values()], broken }
}

/** The blueprint, or what is wrong with it. */
function readBlueprint({ name, description, blueprint }: SkillWithBlueprint): Blueprint | string {
  const parsed = z.safeParse(block, blueprint)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `${issue?.path.join('.') || 'it'} is not right (${issue?.message ?? 'unknown'})`
  }
  const { key = keyOf(name), title = name, skills, slots, ...rest } = parsed.data
  const read: Blueprint = {
    ...rest,
    ...{ key, title, description: rest.description ?? description.slice(0, 200) },
    // Data has no members that are undefined.
    slots: slots.map((each) => ({ ...each, label: each.label ?? each.name }) as BlueprintSlot),
    skills: [...new Set([name, ...skills])],
  }
  return findFault(read) ?? read
}

const keyOf = (name: string): string => name.toLowerCase().replaceAll(/[._]/g, '-')

/** A template may only name what its slots give. */
function findFault({ slots, schedule_template, prompt_template }: Blueprint): string | undefined {
  const names = slots.map((each) => each.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `there are two slots ${twice}`
  const deliver = slots.find(({ name }) => name === 'deliver')?.default ?? ''
  // Who takes the usual has not read where it goes.
  if (!['', 'origin', 'local'].includes(deliver)) return `the usual value of deliver is origin or local, and not ${deliver}`
  const empty = slots.find(({ type, options = [] }) => type === 'enum' && options.length === 0)
  if (empty) return `the slot ${empty.name} has no options`
  const given = new Set([...names, ...slots.flatMap(partsOf)])
  const missing =
    namesIn(schedule_template).find((name) => !given.has(name)) ?? namesIn(prompt_template).find((name) => !names.includes(name))
  return missing === undefined ? undefined : `its templates name {${missing}}, and there is no such slot`
}

/** What a slot gives to a schedule beside its own name. */
function partsOf({ type, options = [] }: BlueprintSlot): readonly string[] {
  if (type === 'time') return ['hour', 'minute']
  return type === 'weekdays' || options.some((option) => fullDayNames.includes(option)) ? ['dow'] : []
}

const namesIn = (template: string): readonly string[] => [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
