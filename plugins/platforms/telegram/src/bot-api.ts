import type { Context, PlatformContext } from '@agent/plugin-sdk'
import { type AgentError, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { describeError, type Life, parseRetryAfter } from '@agent/plugin-sdk/http'
import type * as z from 'zod/mini'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'
import { type Answer, parseAnswer, type TelegramUser } from './wire.ts'

export const platform = 'Telegram'

/** One connection of one bot. */
export interface Bot {
  readonly context: PlatformContext<Config>
  readonly settings: Settings
  readonly life: Life
  readonly api: BotApi
  readonly self: TelegramUser
}

/** Parameters of a method; what is undefined is left out. */
export type Parameters = Readonly<Record<string, unknown>>

/** A file that goes up with a request, under the name of its parameter. */
export interface Upload {
  readonly field: string
  readonly name: string
  readonly content: Blob
}

export interface BotApi {
  /** Calls a method and gives the answer as it came. */
  request(method: string, parameters: Parameters, signal: AbortSignal, upload?: Upload): Promise<Response>
  /** Calls a method and gives its result; rejects with a coded error for every refusal. */
  ask<T>(method: string, parameters: Parameters, result: z.ZodMiniType<T>, signal: AbortSignal): Promise<T>
  /** The bytes of a file that `getFile` has named. */
  download(path: string, signal: AbortSignal): Promise<Response>
}

/** The methods of the Bot API over plain HTTP. No redirect is followed: it would show the token elsewhere. */
export function createBotApi(
  { fetch, clock }: Pick<Context, 'fetch' | 'clock'>,
  { token, baseUrl, baseFileUrl }: Pick<Settings, 'token' | 'baseUrl' | 'baseFileUrl'>,
): BotApi {
  const request: BotApi['request'] = (method, parameters, signal, upload) =>
    fetch(`${baseUrl}/bot${token}/${method}`, { method: 'POST', redirect: 'error', signal, ...formatBody(parameters, upload) })
  return {
    request,
    ask: async (method, parameters, result, signal) => {
      try {
        const response = await request(method, parameters, signal)
        const answer = parseAnswer(await response.text())
        if (!answer?.ok) throw describeRefusal(response, answer, clock.now())
        return result.parse(answer.result)
      } catch (error) {
        if (isAgentError(error)) throw error
        throw fail('PLATFORM_UNREACHABLE', { platform, detail: `${method}: ${describeError(error).detail}` }, { cause: error })
      }
    },
    download: (path, signal) => fetch(`${baseFileUrl}/bot${token}/${path}`, { redirect: 'error', signal }),
  }
}

function formatBody(parameters: Parameters, upload: Upload | undefined): RequestInit {
  if (!upload) return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(parameters) }
  const form = new FormData()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  form.set(upload.field, upload.content, upload.name)
  return { body: form }
}

/** How long Telegram wants us to wait, in milliseconds; undefined where that is not the trouble. */
export function readWait(answer: Answer | undefined): number | undefined {
  const seconds = answer?.parameters?.retry_after
  return seconds === undefined ? undefined : seconds * 1000
}

/** Why a method was refused. A token that Telegram does not know is "Unauthorized", one that cannot be a token "Not Found". */
function describeRefusal({ status, headers }: Response, answer: Answer | undefined, now: number): AgentError {
  const detail = answer?.description ?? `it answered ${status}`
  if (answer && (status === 401 || status === 404)) return fail('PLATFORM_AUTH', { platform, detail })
  if (status === 409) {
    return fail('PLATFORM_LOST', { platform, detail: 'another program reads the messages of this bot; stop it or use another token' })
  }
  if (status !== 429) return fail('PLATFORM_UNREACHABLE', { platform, detail })
  return fail('PLATFORM_UNREACHABLE', { platform, detail }, { retryAfterMs: readWait(answer) ?? parseRetryAfter(headers, now) })
}
