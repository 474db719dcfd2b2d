import type { Clock, InboundMessage, PlatformManifest } from '@agent/plugin-sdk'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { Claim, Journal, WaitingMessage } from '#store/journal.ts'
import { measureText } from '../markup/chunk.ts'

export interface GatherOptions {
  readonly journal: Pick<Journal, 'waiting' | 'absorb'>
  readonly limits: PlatformManifest['limits']
  readonly settings: Pick<PlatformSettings, 'batch_ms'>
  /** Whether a waiting message goes on with what the first one says. */
  readonly belongs: (message: InboundMessage) => boolean
  readonly clock: Clock
}

const mostMessages = 8
const mostCharacters = 4_000
/** A fragment this near to the limit of a platform was probably cut by its app. */
const nearlyFull = 0.9

/** What one person wrote, from the message that was claimed on. */
export type Gathered = readonly [InboundMessage, ...InboundMessage[]]

/**
 * Waits until a person has stopped writing, and takes what they wrote as one turn: the messages share the answer of the first.
 * What came later than the pause allows is a separate turn, so that a restart gathers the same again.
 */
export async function gatherMessages(options: GatherOptions, claim: Claim, signal: AbortSignal): Promise<Gathered> {
  const { journal, clock } = options
  const first = { seq: claim.seq, message: claim.message, receivedAt: claim.receivedAt }
  if (pauseAfter(options, claim.message) === 0) return [claim.message]
  for (;;) {
    const { gathered, closed } = chain(options, first, await journal.waiting(claim, mostMessages))
    const last = gathered.at(-1) ?? first
    const due = last.receivedAt + pauseAfter(options, last.message)
    if (closed || clock.now() >= due || signal.aborted) return share(journal, claim, gathered)
    await clock.sleep(due - clock.now(), signal).catch(() => undefined)
  }
}

interface Chain {
  /** In order, the first one included. */
  readonly gathered: readonly WaitingMessage[]
  /** Nothing can be added any more. */
  readonly closed: boolean
}

/** Messages that follow the first without anything between, each within the pause after the one before. */
function chain(options: GatherOptions, first: WaitingMessage, waiting: readonly WaitingMessage[]): Chain {
  const gathered = [first]
  let characters = first.message.text.length
  for (const next of waiting) {
    const before = gathered.at(-1) ?? first
    characters += next.message.text.length
    const late = next.receivedAt - before.receivedAt > pauseAfter(options, before.message)
    if (late || gathered.length === mostMessages || characters > mostCharacters || next.child || !options.belongs(next.message))
      return { gathered, closed: true }
    gathered.push(next)
  }
  return { gathered, closed: gathered.length === mostMessages }
}

function pauseAfter({ limits, settings }: GatherOptions, { text }: InboundMessage): number {
  const { quietMs, splitMs, maxLength, unit } = limits
  const quiet = settings.batch_ms ?? quietMs
  if (quiet === 0) return 0
  return measureText(text, unit) >= maxLength * nearlyFull ? Math.max(quiet, splitMs) : quiet
}

async function share(journal: GatherOptions['journal'], claim: Claim, gathered: readonly WaitingMessage[]): Promise<Gathered> {
  const others = gathered.slice(1)
  if (others.length === 0) return [claim.message]
  const seqs = await journal.absorb(
    claim,
    others.map(({ seq }) => seq),
  )
  return [claim.message, ...others.filter(({ seq }) => seqs.includes(seq)).map(({ message }) => message)]
}
