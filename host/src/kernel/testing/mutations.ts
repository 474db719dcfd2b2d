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

/** Copies of a value with one thing wrong or unusual in each: a field replaced, left out or added, on every level. */
export function* mutationsOf(value: unknown): Generator<unknown> {
  for (const each of odd) yield structuredClone(each)
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) {
    yield { ...value, unheardOf: 1 }
    yield JSON.parse(`{ "__proto__": { "x": 1 }, ${JSON.stringify(value).slice(1)}`.replace(/, }$/, ' }'))
  } else yield [...value, ...value]
  for (const key of Object.keys(value)) {
    for (const inner of mutationsOf(value[key as keyof typeof value])) {
      // What stays as it was is shared: a copy of all of it for each change takes most of the time.
      const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
      if (inner === undefined) delete copy[key]
      else copy[key] = inner
      yield copy
    }
  }
}
