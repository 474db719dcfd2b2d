import type { EntityState } from './wire.ts'

type Attributes = NonNullable<EntityState['attributes']>
type Sentence = (name: string, before: EntityState, after: EntityState) => string

const switched: Sentence = (name, before, after) =>
  after.state === 'on' || after.state === 'off' ? `${name} was turned ${after.state}.` : changed(name, before, after)

const sentences: Readonly<Record<string, Sentence>> = {
  climate: (name, before, after) => {
    const { current_temperature: now, temperature: wanted } = after.attributes ?? {}
    const facts = [describeFact('now', now), describeFact('set to', wanted)].filter((fact) => fact !== '')
    const mode = `${name} changed from ${clean(before.state)} to ${clean(after.state)}`
    return facts.length === 0 ? `${mode}.` : `${mode} (${facts.join(', ')}).`
  },
  sensor: (name, before, after) => `${name} changed from ${withUnit(before)} to ${withUnit(after)}.`,
  binary_sensor: (name, before, after) => {
    if (after.state === 'on') return `${name} was triggered.`
    return after.state === 'off' ? `${name} was cleared.` : changed(name, before, after)
  },
  light: switched,
  switch: switched,
  fan: switched,
  alarm_control_panel: (name, before, after) => `The alarm ${name} changed from ${clean(before.state)} to ${clean(after.state)}.`,
}

/** A sentence about a change, as the kind of the entity asks for. */
export function describeChange(before: EntityState, after: EntityState): string {
  const name = `${nameOf(after)} (${clean(after.entity_id)})`
  const domain = domainOf(after.entity_id)
  return (Object.hasOwn(sentences, domain) ? sentences[domain] : undefined)?.(name, before, after) ?? changed(name, before, after)
}

export function domainOf(entity: string): string {
  return entity.split('.', 1)[0] ?? ''
}

/** The name that people gave it, else its id. */
export function nameOf({ attributes, entity_id }: EntityState): string {
  const name = attributes?.friendly_name
  return clean(typeof name === 'string' && name.trim() !== '' ? name : entity_id)
}

/** The state with its unit, where it has one. */
export function withUnit({ state, attributes }: EntityState): string {
  const unit = attributes?.unit_of_measurement
  return typeof unit === 'string' && unit !== '' ? `${clean(state)} ${clean(unit)}` : clean(state)
}

const changed: Sentence = (name, before, after) => `${name} changed from "${clean(before.state)}" to "${clean(after.state)}".`

function describeFact(word: string, value: Attributes[string]): string {
  return typeof value === 'number' || typeof value === 'string' ? `${word} ${clean(String(value))}°` : ''
}

/** One short line: states and names are written by devices and by people. */
function clean(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200)
}
