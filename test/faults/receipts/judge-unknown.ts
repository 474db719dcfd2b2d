import type { UnknownPart } from './read-unknown.ts'

/** Something that can cost the receipts of what is under way. */
export interface Blow {
  readonly platform: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** It waits for the next send, whenever that comes. */
  readonly waits?: boolean
}

export interface UnknownEvidence {
  readonly unknown: readonly UnknownPart[]
  readonly blows: readonly Blow[]
  /** Platforms that can be asked what became of a send. */
  readonly asked: ReadonlySet<string>
}

/** So long a gateway may write to a connection that is broken already. */
const unnoticedMs = 1000

/**
 * The unknown parts that are false, with what is wrong about each: it could have been found out or repeated, no blow explains it, or its
 * conversation was not told. A blow explains one part: without a way to ask, one send is under way at a time.
 */
export function findFalse({ unknown, blows, asked }: UnknownEvidence): readonly string[] {
  const left = new Set(blows)
  return [...unknown]
    .sort((one, other) => one.settled - other.settled)
    .flatMap((part) => {
      const blow = [...left].find(
        ({ platform, at, waits }) => platform === part.platform && (waits || part.tried - unnoticedMs <= at) && at <= part.settled,
      )
      if (blow) left.delete(blow)
      const faults = [
        ...(asked.has(part.platform) ? ['its platform could be asked'] : []),
        ...(part.edits ? ['it could be edited again'] : []),
        ...(blow ? [] : ['nothing happened while it was sent']),
        ...(part.marked ? [] : ['nobody was told']),
      ]
      return faults.length > 0 ? [`${part.platform}: ${part.key} is unknown, and ${faults.join(', ')}.`] : []
    })
}
