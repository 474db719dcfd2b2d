import { createRateLimiter } from '../../../../test/support/servers/rate-limiter.ts'

/** Milliseconds to wait where a request is one too many, and 0 where it is not; whether the limit is that of the whole bot. */
export type DiscordLimits = (method: string, path: string) => { readonly waitMs: number; readonly global: boolean }

/**
 * What Discord grants a bot: 50 requests a second in all, except for answers to interactions, and in each channel five messages, edits, threads
 * and signs of typing in five seconds and four marks a second. The figure of the whole bot is Discord's, those of channels are what bots
 * have seen: Discord tells them in headers only. https://docs.discord.com/developers/topics/rate-limits
 */
export function createDiscordLimits(now?: () => number): DiscordLimits {
  const take = createRateLimiter(now)
  return (method, path) => {
    if (/^\/(webhooks|interactions)\//.test(path)) return { waitMs: 0, global: false }
    const waitMs = take({ name: 'all', burst: 50, everyMs: 20 })
    if (waitMs > 0) return { waitMs, global: true }
    const [, channel, what] = /^\/channels\/(\d+)\/(?:messages\/\d+\/)?(\w+)/.exec(path) ?? []
    if (channel === undefined || method === 'GET') return { waitMs: 0, global: false }
    const rate = what === 'reactions' ? { burst: 4, everyMs: 250 } : { burst: 5, everyMs: 1000 }
    return { waitMs: take({ name: `${method} ${what} ${channel}`, ...rate }), global: false }
  }
}
