import type { Call, Context, Log } from '@agent/plugin-sdk'
import type { Activator } from '#kernel/activate.ts'
import type { Contribution } from '#kernel/catalog.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'

export interface EntryOptions {
  readonly activator: Pick<Activator, 'entry'>
  readonly createContext: (contribution: Contribution, ledger: Ledger) => Promise<Context>
  readonly log: Log
}

export interface EntryOpener<Opened> {
  /** Opens the entry at the first use, once. What could not be opened, or was lost with its child, the next use opens anew. */
  use<Answer>(ask: (opened: Opened) => Promise<Answer>): Promise<Answer>
  end(): Promise<void>
}

interface OpenedBy<Opened> {
  open(context: Context, call: Call): Promise<Opened>
}

interface Current<Opened> {
  readonly entry: OpenedBy<Opened>
  readonly ledger: Ledger
  readonly opened: Promise<Opened>
}

const longestOpenMs = 10_000

/** What a contribution opens, kept as long as it is used. */
export function createEntryOpener<Opened>(
  { activator, createContext, log }: EntryOptions,
  contribution: Contribution,
): EntryOpener<Opened> {
  let current: Current<Opened> | undefined
  const open = (entry: OpenedBy<Opened>): Current<Opened> => {
    const ledger = openLedger(contribution.plugin.manifest.id, log)
    const signal = AbortSignal.any([ledger.signal, AbortSignal.timeout(longestOpenMs)])
    const call = { id: `open-${contribution.id}`, signal, deadline: longestOpenMs }
    return { entry, ledger, opened: createContext(contribution, ledger).then((context) => entry.open(context, call)) }
  }
  const leave = async (old: Current<Opened> | undefined): Promise<void> => {
    if (current === old) current = undefined
    await old?.ledger.dispose()
  }
  return {
    async use(ask) {
      const entry = await activator.entry<OpenedBy<Opened>>(contribution)
      // In a new child it is another one.
      if (current?.entry !== entry) await leave(current)
      current ??= open(entry)
      const mine = current
      try {
        await mine.opened
      } catch (error) {
        await leave(mine)
        throw error
      }
      return await ask(await mine.opened)
    },
    end: () => leave(current),
  }
}
