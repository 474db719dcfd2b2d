import type { Clock, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Answer, askPlatform } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'

/** Named in errors. */
export const platform = 'sample'

/** How the service is asked. */
export interface Service {
  readonly clock: Clock
  request(path: string, init: RequestInit): Promise<Response>
  /** The JSON of an answer; rejects with a coded error where there is none. */
  ask(path: string, signal: AbortSignal): Promise<unknown>
}

type Context = Pick<PlatformContext<Config>, 'config' | 'secrets' | 'fetch' | 'clock'>

export async function openService({ config, secrets, fetch, clock }: Context): Promise<Service> {
  const headers = { Authorization: `Bearer ${await secrets.get('SAMPLE_TOKEN')}`, 'Content-Type': 'application/json' }
  const request: Service['request'] = (path, init) => fetch(config.server + path, { ...init, headers })
  const options = { platform, clock, tokenHint: 'SAMPLE_TOKEN has to be the token of the bot', readProblem: () => ({}) }
  return {
    clock,
    request,
    ask: async (path, signal) => {
      const answer: Answer = await askPlatform(options, signal, () => request(path, { signal }))
      if (answer.ok) return answer.body
      throw fail('PLATFORM_UNREACHABLE', { platform, detail: answer.detail })
    },
  }
}
