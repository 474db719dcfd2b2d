const hour = 3_600_000
const minute = 60_000

/** The clock of a place through a span of time, by the data of the machine and by nothing of the product. */
export interface Zone {
  readonly name: string
  /** When the wall there shows this: the first time where it does so twice, and the end of the gap where it never does. `local` is the time as if it were UTC. */
  whenShown(local: number): number
}

interface Change {
  readonly at: number
  readonly before: number
  readonly after: number
}

export function openZone(name: string, from: number, to: number): Zone {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: name, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })
  const offsetAt = (at: number): number => {
    const [, day, month, year, hours, minutes] = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/.exec(format.format(at)) ?? []
    return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes)) - Math.floor(at / minute) * minute
  }
  const first = offsetAt(from)
  const changes: Change[] = []
  let before = first
  for (let at = from + hour; at <= to; at += hour) {
    const after = offsetAt(at)
    if (after !== before) changes.push({ at: findChange(offsetAt, at - hour, at), before, after })
    before = after
  }
  return {
    name,
    whenShown(local) {
      let offset = first
      for (const change of changes) {
        if (local < change.at + change.before) break
        // Between the two readings of the change lies the gap; where the clock went back they are the other way round.
        if (local < change.at + change.after) return change.at
        offset = change.after
      }
      return local - offset
    },
  }
}

function findChange(offsetAt: (at: number) => number, low: number, high: number): number {
  const before = offsetAt(low)
  let [from, to] = [low, high]
  while (to - from > minute) {
    const middle = Math.floor((from + to) / 2 / minute) * minute
    if (offsetAt(middle) === before) from = middle
    else to = middle
  }
  return to
}
