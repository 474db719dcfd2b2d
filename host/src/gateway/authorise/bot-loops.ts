import type { InboundMessage } from '@agent/plugin-sdk'

/** Ends conversations that bots have with each other. People are never counted. */
export interface BotLoops {
  /** Counts a message of a bot; false while there were too many. */
  admit(platform: string, message: InboundMessage): boolean
}

interface Limit {
  readonly most: number
  readonly withinMs: number
  readonly pauseMs: number
}

const perPair: Limit = { most: 20, withinMs: 60_000, pauseMs: 60_000 }
const perRoom: Limit = { most: 20, withinMs: 300_000, pauseMs: 600_000 }
/** Counters that are kept; the least used ones are forgotten. */
const mostCounters = 2_000

export function createBotLoops(now: () => number): BotLoops {
  const counters = new Map<string, { times: readonly number[]; until: number }>()
  const count = (key: string, { most, withinMs, pauseMs }: Limit): boolean => {
    const at = now()
    const { times = [], until = 0 } = counters.get(key) ?? {}
    const recent = times.filter((time) => at - time < withinMs)
    const over = at >= until && recent.length >= most
    counters.delete(key)
    if (at < until) counters.set(key, { times: [], until })
    else if (over) counters.set(key, { times: [], until: at + pauseMs })
    else counters.set(key, { times: [...recent, at], until: 0 })
    for (const oldest of counters.keys()) {
      if (counters.size <= mostCounters) break
      counters.delete(oldest)
    }
    return at >= until && !over
  }
  return {
    admit(platform, { account, sender, conversation }) {
      const pair = count(JSON.stringify([platform, account, sender.id]), perPair)
      const room = count(JSON.stringify([platform, account, 'room', conversation.id]), perRoom)
      return pair && room
    },
  }
}
