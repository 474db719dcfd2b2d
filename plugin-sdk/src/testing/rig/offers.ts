/** What a platform that calls the agent has to say, offered until it is taken. */
export interface Offers<Thing> {
  /** Waits behind everything else that this person said. */
  add(person: number, thing: Thing): void
  /** Offers the newest again, whether it was taken or not. */
  repeat(): void
  isEmpty(): boolean
  /** Offers nothing more. */
  stop(): void
}

const againMs = 250

/** Offers what each person says, in order, until `give` answers true; where it rejects, nobody was there. */
export function createOffers<Thing>(give: (thing: Thing) => Promise<boolean>): Offers<Thing> {
  const queues = new Map<number, Thing[]>()
  const timers = new Set<NodeJS.Timeout>()
  let newest: { readonly person: number; readonly thing: Thing } | undefined
  let stopped = false
  const offer = async (person: number, queue: Thing[]): Promise<void> => {
    const [first] = queue
    if (first === undefined || stopped) return
    const taken = await give(first).catch(() => false)
    if (taken) queue.shift()
    if (taken) return await offer(person, queue)
    const timer = setTimeout(() => {
      timers.delete(timer)
      void offer(person, queue)
    }, againMs)
    timers.add(timer)
  }
  const add = (person: number, thing: Thing): void => {
    const queue = queues.get(person) ?? []
    queues.set(person, queue)
    newest = { person, thing }
    if (queue.push(thing) === 1) void offer(person, queue)
  }
  return {
    add,
    repeat: () => {
      if (newest) add(newest.person, newest.thing)
    },
    isEmpty: () => [...queues.values()].every((queue) => queue.length === 0),
    stop: () => {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
