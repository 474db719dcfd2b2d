import { Buffer } from 'node:buffer'

/** Texts that wait to be sent, oldest first. */
export interface Pile {
  count(): number
  add(text: string): void
  /** Forgets the oldest. */
  drop(count: number): void
  /** Everything, each text with a comma behind it; the pile is empty then. */
  take(): Taken
  /** Puts what was taken below what was added since. */
  putBack(taken: Taken): void
}

export interface Taken {
  readonly bytes: Buffer
  /** Where in `bytes` each text ends. */
  readonly ends: readonly number[]
}

const comma = 0x2c
const firstBytes = 65_536
const bytesOfUnit = 3

/** Texts wait as bytes: what waits for seconds as objects is carried about by the garbage collector, which cost more than writing them did. */
export function createPile(): Pile {
  let bytes = Buffer.allocUnsafe(firstBytes)
  let ends: number[] = []
  let dropped = 0
  const used = (): number => ends.at(-1) ?? 0
  const begin = (): number => ends[dropped - 1] ?? 0

  function take(): Taken {
    const from = begin()
    const taken = { bytes: bytes.subarray(from, used()), ends: from === 0 ? ends : ends.slice(dropped).map((end) => end - from) }
    bytes = Buffer.allocUnsafe(bytes.length)
    ends = []
    dropped = 0
    return taken
  }

  function putBack(taken: Taken): void {
    const since = take()
    bytes = Buffer.concat([taken.bytes, since.bytes])
    ends = [...taken.ends, ...since.ends.map((end) => end + taken.bytes.length)]
  }

  return {
    count: () => ends.length - dropped,
    add(text) {
      const from = used()
      const most = from + text.length * bytesOfUnit + 1
      if (most > bytes.length) bytes = Buffer.concat([bytes.subarray(0, from)], Math.max(most, 2 * bytes.length))
      let at = from + bytes.write(text, from)
      bytes[at++] = comma
      ends.push(at)
    },
    drop(count) {
      dropped += count
      if (dropped > ends.length / 2) putBack(take())
    },
    take,
    putBack,
  }
}
