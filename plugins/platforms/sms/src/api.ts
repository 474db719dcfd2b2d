import type { PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describeError } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { parseAccount, parseProblem } from './wire.ts'

export const platform = 'Twilio'

/** Twilio's HTTP interface with our credentials. */
export interface Api {
  /** Below the account. */
  post(path: string, form: URLSearchParams, signal: AbortSignal): Promise<Response>
  get(path: string, signal: AbortSignal): Promise<Response>
  /** Follows to where Twilio keeps files; the credentials stay behind. */
  fetchFile(path: string, signal: AbortSignal): Promise<Response>
  /** Proves the credentials; rejects with a coded error. */
  prove(signal: AbortSignal): Promise<void>
}

export function createApi({ fetch }: Pick<PlatformContext, 'fetch'>, { baseUrl, accountSid, authToken }: Settings): Api {
  const account = `${baseUrl}/2010-04-01/Accounts/${accountSid}`
  const headers = { Authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` }
  return {
    post: (path, body, signal) => fetch(`${account}${path}`, { method: 'POST', headers, body, signal, redirect: 'manual' }),
    get: (path, signal) => fetch(`${account}${path}`, { headers, signal, redirect: 'manual' }),
    fetchFile: (path, signal) => fetch(`${baseUrl}${path}`, { headers, signal }),
    prove: async (signal) => {
      try {
        const response = await fetch(`${account}.json`, { headers, signal, redirect: 'manual' })
        judge(response.status, await response.text())
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof TypeError)
          throw fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(error).detail }, { cause: error })
        throw error
      }
    },
  }
}

function judge(status: number, body: string): void {
  const detail = parseProblem(body) ?? `it answered ${status}`
  if ([401, 403, 404].includes(status)) throw fail('PLATFORM_AUTH', { platform, detail })
  const account = status === 200 ? parseAccount(body) : undefined
  if (!account) throw fail('PLATFORM_UNREACHABLE', { platform, detail })
  if (account.status !== 'active') throw fail('PLATFORM_AUTH', { platform, detail: `the account is ${account.status}` })
}
