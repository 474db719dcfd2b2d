import { type Allowance, createRateLimiter } from '../../../../test/support/servers/rate-limiter.ts'

/** Seconds to wait where a call is one too many, and 0 where it is not. */
export type SlackLimits = (method: string, team: string, channel: string | undefined) => number

const perMinute = (name: string, most: number): Allowance => ({ name, burst: most, everyMs: 60_000 / most })

/** Methods of the third tier have 50 calls a minute, the others here at least 100. */
const third = /^(chat\.(update|delete)|reactions\.|conversations\.|users\.conversations$)/

/**
 * What Slack grants an app: each method by its tier in each workspace, and one posting a second in a channel. Short bursts are let pass, whose
 * size Slack does not tell. Connections are left out: tests break more of them than people do.
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
export function createSlackLimits(now?: () => number): SlackLimits {
  const take = createRateLimiter(now)
  return (method, team, channel = '') => {
    const ofTeam = third.test(method) ? perMinute(`${method} ${team}`, 50) : perMinute(`${method} ${team}`, 100)
    const ofChannel = { name: `post ${team} ${channel}`, burst: 4, everyMs: 1000 }
    const waitMs = method === 'chat.postMessage' ? take(ofTeam, ofChannel) : take(ofTeam)
    return Math.ceil(waitMs / 1000)
  }
}
