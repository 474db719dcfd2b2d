const odd = [
  undefined,
  null,
  '',
  'x',
  'A_B',
  'a b',
  '../x.js',
  'dist/x.js',
  '1.0.0',
  -1,
  0,
  1,
  1.5,
  70_000,
  true,
  [],
  ['x'],
  [null],
  {},
  { x: 1 },
] as const

type Places = (place: string) => boolean

/**
 * Copies of a value with one thing wrong or unusual in each: a field replaced, left out or added, on every level. `isWanted` says of a place,
 * such as `.contributes.tools.*.name`, whether it is looked at.
 */
export function* mutationsOf(value: unknown, isWanted: Places = () => true, place = ''): Generator<unknown> {
  if (isWanted(place)) yield* mutationsHere(value)
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const inside = `${place}.${Array.isArray(value) ? '*' : key}`
    for (const inner of mutationsOf(value[key as keyof typeof value], isWanted, inside)) {
      // What stays as it was is shared: a copy of all of it for each change takes most of the time.
      const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
      if (inner === undefined) delete copy[key]
      else copy[key] = inner
      yield copy
    }
  }
}

function* mutationsHere(value: unknown): Generator<unknown> {
  for (const each of odd) yield structuredClone(each)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) return yield [...value, ...value]
  yield { ...value, unheardOf: 1 }
  yield JSON.parse(`{ "__proto__": { "x": 1 }, ${JSON.stringify(value).slice(1)}`.replace(/, }$/, ' }'))
}
