import type { PlatformContext, Wire } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { describeError, isVendorAddress } from '@agent/plugin-sdk/http'
import type { Settings } from './settings.ts'
import { parseNumber, parsePlace, parseProblem } from './wire.ts'

export const platform = 'WhatsApp'

/** The Graph API with our credentials. */
export interface Api {
  postMessage(body: Readonly<Record<string, Wire>>, signal: AbortSignal): Promise<Response>
  upload(form: FormData, signal: AbortSignal): Promise<Response>
  /** The file behind an id; rejects with a coded error. */
  fetchFile(id: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** Proves the credentials and gives the name that people see; rejects with a coded error. */
  prove(signal: AbortSignal): Promise<string>
}

export function createApi({ fetch }: Pick<PlatformContext, 'fetch'>, { graphUrl, phoneNumberId, accessToken }: Settings): Api {
  const Authorization = `Bearer ${accessToken}`
  const get = async (url: string, signal: AbortSignal): Promise<Response> => {
    try {
      return await fetch(url, { headers: { Authorization }, signal, redirect: 'manual' })
    } catch (cause) {
      signal.throwIfAborted()
      throw unreachable(describeError(cause).detail, cause)
    }
  }
  return {
    postMessage: (body, signal) =>
      fetch(`${graphUrl}/${phoneNumberId}/messages`, {
        method: 'POST',
        headers: { Authorization, 'Content-Type': 'application/json' },
        body: JSON.stringify({ messaging_product: 'whatsapp', ...body }),
        signal,
        redirect: 'manual',
      }),
    upload: (body, signal) =>
      fetch(`${graphUrl}/${phoneNumberId}/media`, { method: 'POST', headers: { Authorization }, body, signal, redirect: 'manual' }),
    fetchFile: async (id, signal) => {
      const about = await get(`${graphUrl}/${id}?phone_number_id=${phoneNumberId}`, signal)
      const url = parsePlace(await judge(about))
      if (url === undefined || !isVendorAddress(url, graphUrl, hosts)) throw unreachable('it does not say where a file is')
      const response = await get(url, signal)
      if (response.status === 404) throw fail('MEDIA_MISSING', { path: id })
      if (!response.ok || !response.body) throw unreachable(`it answered ${response.status} for a file`)
      return response.body
    },
    prove: async (signal) => {
      const response = await get(`${graphUrl}/${phoneNumberId}?fields=verified_name,display_phone_number`, signal)
      const { verified_name, display_phone_number } = parseNumber(await judge(response, 'PLATFORM_AUTH')) ?? {}
      return verified_name ?? display_phone_number ?? phoneNumberId
    },
  }
}

/** Where Meta keeps files; the token that opens them goes nowhere else. */
const hosts = ['facebook.com', 'fbsbx.com', 'fbcdn.net', 'whatsapp.net']

const unreachable = (detail: string, cause?: unknown): AgentError => fail('PLATFORM_UNREACHABLE', { platform, detail }, { cause })

/** Codes about the token and its rights; 100 is said of an id that the token does not see. */
const refusals = new Set([10, 100, 190, 200, 33])

/** The body of a success. */
async function judge(response: Response, refusal: 'PLATFORM_AUTH' | 'MEDIA_MISSING' = 'MEDIA_MISSING'): Promise<string> {
  const body = await response.text()
  if (response.ok) return body
  const problem = parseProblem(body)
  const detail = problem?.detail ?? `it answered ${response.status}`
  if (problem?.code === 190 || (refusal === 'PLATFORM_AUTH' && refusals.has(problem?.code ?? 0))) {
    throw fail('PLATFORM_AUTH', { platform, detail })
  }
  if (refusal === 'MEDIA_MISSING' && refusals.has(problem?.code ?? 0)) throw fail('MEDIA_MISSING', { path: detail })
  throw unreachable(detail)
}
