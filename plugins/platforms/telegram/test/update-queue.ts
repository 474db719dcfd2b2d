import { Refusal } from './refusal.ts'

/** Updates that wait until they are acknowledged. */
export interface Queue {
  push(update: Readonly<Record<string, unknown>>): void
  /** Holds the question until there is something; the one before it is over then. */
  poll(offset: number | undefined, hold: boolean): Promise<readonly unknown[]>
  waiting(): readonly { readonly update_id: number }[]
  clear(): void
  /** Offers the newest update again under a new number, as no answer of ours prevents. */
  repeat(): void
  /** Answers the held question with nothing, as after its time. */
  release(): void
}

const conflict = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'

export function createQueue(): Queue {
  let updates: { readonly update_id: number }[] = []
  let nextId = 1000
  let newest: Readonly<Record<string, unknown>> = {}
  let held: { readonly answer: (updates: readonly unknown[]) => void; readonly refuse: (error: Error) => void } | undefined
  const release = (): void => {
    held?.answer(updates)
    held = undefined
  }
  const push = (update: Readonly<Record<string, unknown>>): void => {
    newest = update
    updates.push({ ...update, update_id: nextId })
    nextId += 1
    release()
  }
  return {
    push,
    repeat: () => push(newest),
    poll: (offset = 0, hold) => {
      held?.refuse(new Refusal(409, conflict))
      held = undefined
      updates = updates.filter(({ update_id }) => update_id >= offset)
      if (updates.length > 0 || !hold) return Promise.resolve([...updates])
      return new Promise((answer, refuse) => {
        held = { answer, refuse }
      })
    },
    waiting: () => updates,
    clear: () => {
      updates = []
    },
    release,
  }
}
