import { fail } from '@agent/plugin-sdk/errors'
import type { CronWish } from '../make-spec.ts'
import { fullDayNames, readDays, readTime } from '../parse-schedule.ts'
import type { Blueprint, BlueprintSlot, SlotValues } from './blueprint.ts'

/** What the slots of a blueprint make of what is said: a job, made as every job is. Throws BLUEPRINT_SLOTS, which names each slot that is missing or wrong. */
export function fillBlueprint(blueprint: Blueprint, values: SlotValues): CronWish {
  const { key, slots, schedule_template, prompt_template, skills } = blueprint
  const problems = Object.keys(values).flatMap((name) => (slots.some((slot) => slot.name === name) ? [] : [`there is no slot ${name}`]))
  const said: Record<string, string> = {}
  const parts: Record<string, string> = {}
  for (const slot of slots) {
    const read = readSlot(slot, (Object.hasOwn(values, slot.name) && values[slot.name]?.trim()) || slot.default)
    if ('problem' in read) problems.push(read.problem)
    else {
      said[slot.name] = read.said
      Object.assign(parts, read.parts)
    }
  }
  if (problems.length > 0) throw fail('BLUEPRINT_SLOTS', { blueprint: key, problems: problems.join('; ') })
  const subject = slots.find(({ type, default: usual }) => type === 'text' && usual === '')?.name ?? ''
  return {
    name: [blueprint.title, said[subject]].filter(Boolean).join(': ').slice(0, 100),
    prompt: fillTemplate(prompt_template, said),
    schedule: fillTemplate(schedule_template, parts),
    ...(said.deliver === undefined ? {} : { deliver: said.deliver }),
    skills,
  }
}

function fillTemplate(template: string, values: SlotValues): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
}

type Read = { readonly said: string; readonly parts: SlotValues } | { readonly problem: string }

const readers: Readonly<Record<BlueprintSlot['type'], (slot: BlueprintSlot, value: string) => Read>> = {
  time: ({ name }, value) => {
    const match = /^(\d{1,2})(?:[:.](\d\d))? ?(am|pm)?$/i.exec(value)
    const time = match && readTime(match[1] ?? '', match[2], match[3])
    if (!time) return { problem: `${name} takes a time of day such as 08:00, and not "${value}"` }
    return { said: value, parts: { hour: String(time.hour), minute: String(time.minute) } }
  },
  weekdays: ({ name }, value) => {
    const dow = /^[0-6](?:[,-][0-6])*$/.test(value) ? value : readDays(value.toLowerCase())
    if (dow === undefined) return { problem: `${name} takes everyday, weekdays, weekends or days such as mon,wed, and not "${value}"` }
    return { said: value, parts: { dow } }
  },
  enum: ({ name, options = [], strict = true }, value) => {
    const chosen = options.find((option) => option.toLowerCase() === value.toLowerCase()) ?? (strict ? undefined : value)
    if (chosen === undefined) return { problem: `${name} takes ${options.join(', ')}, and not "${value}"` }
    const day = fullDayNames.indexOf(chosen)
    return { said: chosen, parts: { [name]: chosen, ...(day >= 0 ? { dow: String(day) } : {}) } }
  },
  text: ({ name }, value) => ({ said: value, parts: { [name]: value } }),
}

function readSlot(slot: BlueprintSlot, value: string): Read {
  if (value === '') return slot.optional ? { said: '', parts: { [slot.name]: '' } } : { problem: `${slot.name} is missing` }
  return readers[slot.type](slot, value)
}
