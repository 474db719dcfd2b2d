import { withTimeLimit } from '@agent/plugin-sdk'
import type { Bot } from './bot-api.ts'
import { parseUpdate, results, type Update } from './wire.ts'

/** What becomes of what is heard. */
export interface Reception {
  /** What waits is forgotten: nobody has spoken to this agent yet. */
  readonly dropPending: boolean
  /** Resolves with the milliseconds after which the update has to be pushed again; 0 where it was taken, as always when it was polled. */
  onUpdate(update: Update): Promise<number>
}

/** What we want to hear of. */
export const allowedUpdates: readonly string[] = ['message', 'callback_query']

/** How long Telegram holds a question that it cannot answer yet. */
const holdSeconds = 25
const graceMs = 15_000

/** Asks for updates without end; resolves when the first question was answered. An update is acknowledged by the question after it. */
export async function openPolling({ api, life, context }: Bot, { dropPending, onUpdate }: Reception): Promise<void> {
  let offset: number | undefined
  const ask = async (timeout: number): Promise<readonly unknown[]> => {
    const parameters = { offset, timeout, allowed_updates: allowedUpdates }
    const bounds = { clock: context.clock, signal: life.signal, ms: timeout * 1000 + graceMs, what: 'Asking Telegram for messages' }
    const updates = await withTimeLimit(bounds, (signal) => api.ask('getUpdates', parameters, results.updates, signal))
    life.hear()
    return updates
  }
  const take = async (updates: readonly unknown[]): Promise<void> => {
    for (const update of updates.map(parseUpdate)) {
      if (!update) continue
      await onUpdate(update)
      offset = update.update_id + 1
    }
  }
  const poll = async (first: readonly unknown[]): Promise<void> => {
    await take(first)
    while (!life.signal.aborted) await take(await ask(holdSeconds))
  }
  await api.ask('deleteWebhook', { drop_pending_updates: dropPending }, results.anything, life.signal)
  const first = await ask(0)
  poll(first).catch(life.end)
}
