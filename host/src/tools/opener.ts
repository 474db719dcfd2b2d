import type { Call, Clock, CodeKind, Context } from '@agent/plugin-sdk'
import type { Activator } from '#kernel/activation/activate.ts'
import { callWithin } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'

/** Kinds that are opened at their first use and kept until they are replaced. */
type Kind = CodeKind

export interface OpenedContext<Given extends Context> {
  readonly context: Given
  /** Undoes the effects of the contribution. */
  close(): Promise<void>
}

export interface OpenerOptions<Of extends Kind, Given extends Context> {
  readonly activator: Pick<Activator, 'entry'>
  openContext(contribution: Contribution<Of>): Promise<OpenedContext<Given>>
  readonly clock: Clock
}

export interface Opener<Of extends Kind, Opened> {
  /** Imported and opened at the first use, once for all callers. */
  opened(contribution: Contribution<Of>): Promise<Opened>
  /** Undoes what a contribution has set up that was replaced or removed. */
  retire(contribution: Contribution<Of>): Promise<void>
  close(): Promise<void>
}

interface Open<Opened> {
  readonly opened: Opened
  close(): Promise<void>
}

const openDeadline = 10_000

/** `requireShape` throws where what was opened is not what the manifest declares. */
export function createOpener<Of extends Kind, Given extends Context, Opened>(
  { activator, openContext, clock }: OpenerOptions<Of, Given>,
  requireShape: (contribution: Contribution<Of>, opened: Opened) => void,
): Opener<Of, Opened> {
  const all = new Map<Contribution, Promise<Open<Opened>>>()

  async function open(contribution: Contribution<Of>): Promise<Open<Opened>> {
    const entry = await activator.entry<{ open(context: Given, call: Call): Promise<Opened> }>(contribution)
    const { context, close } = await openContext(contribution)
    try {
      // One that never ends would keep its callers, and the end of the agent, waiting.
      const bounds = { clock, signal: context.signal, deadline: openDeadline, what: `Opening ${contribution.plugin.manifest.id}` }
      const opened = await callWithin(bounds, (call) => entry.open(context, call))
      requireShape(contribution, opened)
      return { opened, close }
    } catch (error) {
      await close()
      throw error
    }
  }

  return {
    async opened(contribution) {
      let opening = all.get(contribution)
      if (!opening) {
        opening = open(contribution)
        all.set(contribution, opening)
        opening.catch(() => all.delete(contribution))
      }
      return (await opening).opened
    },
    async retire(contribution) {
      const opening = all.get(contribution)
      all.delete(contribution)
      // What could not be opened has undone itself.
      await (await opening?.catch(() => undefined))?.close()
    },
    async close() {
      const last = [...all.values()]
      all.clear()
      for (const opening of await Promise.allSettled(last)) if (opening.status === 'fulfilled') await opening.value.close()
    },
  }
}
