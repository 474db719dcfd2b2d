import { fail } from '@agent/plugin-sdk/errors'

export interface Thing {
  readonly thing: string
  /** When it was put on the list, in milliseconds since 1970. */
  readonly at: number
}

/** What cannot be done throws a coded error, whose sentence the person reads. */
function refuse(problem: string): Error {
  return fail('PLUGIN_FAILED', { plugin: 'panel-sample', during: 'a change of the list', detail: problem })
}

export function addThing(list: readonly Thing[], thing: Thing, most: number): readonly Thing[] {
  if (list.some((other) => other.thing === thing.thing)) throw refuse(`${thing.thing} is on it`)
  if (list.length >= most) throw refuse(`it is full with ${most} things`)
  return [...list, thing]
}

export function removeThing(list: readonly Thing[], thing: string | undefined): readonly Thing[] {
  const left = list.filter((other) => other.thing !== thing)
  if (left.length === list.length) throw refuse(`${thing ?? 'nothing'} is not on it`)
  return left
}

export function findThings(list: readonly Thing[], words: string): readonly Thing[] {
  return list.filter(({ thing }) => thing.toLowerCase().includes(words.trim().toLowerCase()))
}
