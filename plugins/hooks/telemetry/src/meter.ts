export type Attributes = Readonly<Record<string, string>>

/** A measurement of which many are added up. */
export interface Instrument {
  /** As the conventions name it. */
  readonly name: string
  readonly unit: 's' | '{token}'
  readonly description: string
  /** Upper bounds of the buckets, in the unit. */
  readonly bounds: readonly number[]
}

export interface Series {
  readonly instrument: Instrument
  readonly attributes: Attributes
  /** How many measurements fell into each bucket; one more than there are bounds. */
  readonly buckets: number[]
  count: number
  sum: number
}

/** Adds measurements up, one series for each set of attributes. */
export interface Meter {
  /** `key` tells one set of attributes of an instrument from the others; they are made for the first measurement only. */
  record(instrument: Instrument, value: number, key: string, attributes: () => Attributes): void
  series(): readonly Series[]
}

/** A model may invent names of tools without end. */
const most = 2_000

export function createMeter(): Meter {
  const all = new Map<Instrument, Map<string, Series>>()
  let count = 0
  const open = (instrument: Instrument, attributes: Attributes): Series => {
    const made: Series = { instrument, attributes, buckets: new Array(instrument.bounds.length + 1).fill(0), count: 0, sum: 0 }
    return made
  }
  return {
    record(instrument, value, key, attributes) {
      const own = all.get(instrument) ?? new Map<string, Series>()
      let series = own.get(key)
      if (series === undefined) {
        if (count >= most) return
        count += 1
        series = open(instrument, attributes())
        all.set(instrument, own.set(key, series))
      }
      const at = instrument.bounds.findIndex((bound) => value <= bound)
      const bucket = at < 0 ? instrument.bounds.length : at
      series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
      series.count += 1
      series.sum += value
    },
    series: () => [...all.values()].flatMap((own) => [...own.values()]),
  }
}
