import type { EventFrame, SessionEvent } from '../protocol.ts'

export interface EventLogOptions {
  readonly session: string
  readonly now: () => number
  /** The number before that of the first event. */
  readonly after: number
  readonly most?: number
  /** In characters of JSON. */
  readonly mostSize?: number
}

/** What happened in a session, numbered. The oldest of it goes when there is too much. */
export interface EventLog {
  append(event: SessionEvent, at?: number): EventFrame
  /** `gap`: what follows `seq` is no longer here, or is not of this log. */
  since(seq: number): { readonly events: readonly EventFrame[]; readonly gap: boolean }
  all(): readonly EventFrame[]
  /** It still begins with the first event. */
  isWhole(): boolean
}

interface Kept {
  readonly frame: EventFrame
  /** The number of the first event that went into it. */
  readonly first: number
  readonly size: number
}

/** What a frame takes beside its texts. */
const frameSize = 100

export function createEventLog({ session, now, after, most = 20_000, mostSize = 8_388_608 }: EventLogOptions): EventLog {
  let kept: Kept[] = []
  let last = after
  let size = 0
  let mergedAt = 0
  const shrink = (): void => {
    if (kept.length <= most && size <= mostSize) return
    // Deltas of the past are worth one frame each run; the newest half stays as it is, for clients that were away for a moment.
    if (mergedAt !== last) kept = mergeDeltas(kept, Math.floor(kept.length / 2))
    mergedAt = last
    size = kept.reduce((sum, each) => sum + each.size, 0)
    let drop = 0
    while (drop < kept.length - 1 && (kept.length - drop > most * 0.9 || size > mostSize * 0.9)) size -= kept[drop++]?.size ?? 0
    kept.splice(0, drop)
  }
  return {
    append: (event, at = now()) => {
      const frame = { seq: ++last, session_id: session, at, event }
      const added = { frame, first: last, size: frameSize + JSON.stringify(event).length }
      kept.push(added)
      size += added.size
      shrink()
      return frame
    },
    since: (seq) => {
      const gone = { events: [], gap: true }
      if (seq === last) return { events: [], gap: false }
      if (seq > last || seq < (kept[0]?.first ?? last) - 1) return gone
      const from = kept.findIndex(({ first }) => first > seq)
      // Inside of a merged frame nobody can tell which of its words are known.
      if (from < 0 || kept[from]?.first !== seq + 1) return gone
      return { events: kept.slice(from).map(({ frame }) => frame), gap: false }
    },
    all: () => kept.map(({ frame }) => frame),
    isWhole: () => (kept[0]?.first ?? after + 1) === after + 1,
  }
}

/** Joins each run of deltas among the first `count` frames. */
function mergeDeltas(kept: readonly Kept[], count: number): Kept[] {
  const merged: Kept[] = []
  for (const each of kept.slice(0, count)) {
    const before = merged.at(-1)
    const joined = before && join(before, each)
    if (joined) merged[merged.length - 1] = joined
    else merged.push(each)
  }
  return [...merged, ...kept.slice(count)]
}

function join(before: Kept, { frame, size }: Kept): Kept | undefined {
  const [one, two] = [before.frame.event, frame.event]
  if (one.type !== 'message.delta' && one.type !== 'reasoning.delta') return undefined
  if (two.type !== one.type) return undefined
  const event = { type: one.type, text: one.text + two.text }
  return { frame: { ...frame, event }, first: before.first, size: before.size + size - frameSize }
}
