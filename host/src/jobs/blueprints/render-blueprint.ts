import type { Blueprint, BlueprintSlot, SlotValues } from './blueprint.ts'

/** A blueprint as a form shows it. */
export interface BlueprintForm extends Omit<Blueprint, 'prompt_template' | 'schedule_template' | 'slots'> {
  readonly fields: readonly (BlueprintSlot & { readonly required: boolean })[]
  /** The same as a line for a conversation, and as a link for the app. */
  readonly slash: string
  readonly link: string
}

export function renderForm(blueprint: Blueprint): BlueprintForm {
  const { key, title, description, category, skills, tags, slots } = blueprint
  const fields = slots.map((slot) => ({ ...slot, required: slot.default === '' && slot.optional !== true }))
  return { key, title, description, category, skills, tags, fields, slash: renderSlash(blueprint), link: renderLink(blueprint) }
}

const valuesOf = ({ slots }: Blueprint, values: SlotValues): readonly (readonly [string, string])[] =>
  slots.map(({ name, default: usual }) => [name, values[name] ?? usual])

/** `/blueprint morning-brief time=08:00 deliver=origin` */
export function renderSlash(blueprint: Blueprint, values: SlotValues = {}): string {
  const quote = (value: string): string => (/^[^\s"]+$/.test(value) ? value : `"${value.replaceAll('"', "'")}"`)
  return ['/blueprint', blueprint.key, ...valuesOf(blueprint, values).map(([name, value]) => `${name}=${quote(value)}`)].join(' ')
}

/** `agent://blueprint/morning-brief?time=08%3A00&deliver=origin` */
export function renderLink(blueprint: Blueprint, values: SlotValues = {}): string {
  const query = new URLSearchParams(Object.fromEntries(valuesOf(blueprint, values)))
  return `agent://blueprint/${encodeURIComponent(blueprint.key)}?${query}`
}

/** One entry of the catalog. */
export function renderEntry({ key, title, description, slots }: Blueprint): string {
  const filled = slots.map(({ name, default: usual }) => (usual === '' ? `${name}=…` : `${name}=${usual}`))
  return `- ${key}: ${title}. ${description} (${filled.join(', ')})`
}
