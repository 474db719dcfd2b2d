import type { Call, Context, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Activator } from '#kernel/activate.ts'
import type { Contribution } from '#kernel/catalog.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'

export interface EntryOptions {
  readonly activator: Pick<Activator, 'entry'>
  readonly createContext: (contribution: Contribution, ledger: Ledger) => Promise<Context>
  readonly log: Log
}

export interface EntryOpener<Opened> {
  /** Opens the entry at the first use, once. What could not be opened, or was lost with its child, is opened anew by the next use. */
  use<Answer>(ask: (opened: Opened) => Promise<Answer>): Promise<Answer>
  end(): Promise<void>
}

interface OpenedBy<Opened> {
  open(context: Context, call: Call): Promise<Opened>
}

const longestOpenMs = 10_000

/** What a contribution opens, kept as long as it is used. */
export function createEntryOpener<Opened>(
  { activator, createContext, log }: EntryOptions,
  contribution: Contribution,
): EntryOpener<Opened> {
  const plugin = contribution.plugin.manifest.id
  let opened: Promise<Opened> | undefined
  let ledger = openLedger(plugin, log)
  const open = async (): Promise<Opened> => {
    const entry = await activator.entry<OpenedBy<Opened>>(contribution)
    const signal = AbortSignal.any([ledger.signal, AbortSignal.timeout(longestOpenMs)])
    return await entry.open(await createContext(contribution, ledger), { id: `open-${contribution.id}`, signal, deadline: longestOpenMs })
  }
  const forget = async (): Promise<void> => {
    opened = undefined
    const old = ledger
    ledger = openLedger(plugin, log)
    await old.dispose()
  }
  return {
    async use(ask) {
      opened ??= open()
      const mine = opened
      let isOpen = false
      try {
        const whole = await mine
        isOpen = true
        return await ask(whole)
      } catch (error) {
        if (opened === mine && (!isOpen || isAgentError(error, 'PLUGIN_FAILED'))) await forget()
        throw error
      }
    },
    end: async () => void (await ledger.dispose()),
  }
}
