import type { IncomingMessage } from 'node:http'
import type { Call } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { describeError } from '@agent/plugin-sdk/http'
import { failure } from './failure.ts'
import { readBody } from './read-body.ts'
import { requestPage } from './request-page.ts'

export interface Fetcher {
  /** The checked addresses of a web address; rejects where it may not be asked. */
  readonly resolve: (url: string, call: Call) => Promise<readonly string[]>
  /** What servers are told about who asks. */
  readonly userAgent: string
}

export interface FetchWish {
  readonly url: string
  readonly mostBytes: number
  /** Answers or rejects for each address before it is asked, also for those that it is led on to. */
  readonly admit?: (url: URL, call: Call) => Promise<void>
}

export interface Fetched {
  /** Where the text came from in the end. */
  readonly url: string
  readonly status: number
  /** As the server said it. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

const mostHops = 5
const longestAddress = 2000
const leadsOn = new Set([301, 302, 303, 307, 308])

/** Fetches what is at an address. It follows a server that leads on, and checks each address like the first. */
export async function fetchPage(fetcher: Fetcher, wish: FetchWish, call: Call): Promise<Fetched> {
  let url = new URL(wish.url)
  for (let hops = 0; ; hops += 1) {
    await wish.admit?.(url, call)
    const answer = await ask(fetcher, url, call)
    try {
      const next = leadsOn.has(answer.statusCode ?? 0) ? answer.headers.location : undefined
      if (next === undefined) return await take(answer, url.href, wish.mostBytes, call)
      if (hops === mostHops) throw failure(`${wish.url} leads on more than ${mostHops} times`)
      if (next.length > longestAddress || !URL.canParse(next, url.href))
        throw failure(`${url.href} leads on to something that is no address`)
      url = new URL(next, url)
    } finally {
      answer.destroy()
    }
  }
}

async function ask({ resolve, userAgent }: Fetcher, url: URL, call: Call): Promise<IncomingMessage> {
  const addresses = await resolve(url.href, call)
  const headers = {
    'user-agent': userAgent,
    accept: 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.9, */*;q=0.1',
    'accept-encoding': 'gzip, deflate, br',
  }
  try {
    return await requestPage({ url, addresses, headers }, call.signal)
  } catch (error) {
    throw call.signal.aborted ? call.signal.reason : failure(`${url.href} cannot be reached (${describeError(error).detail})`)
  }
}

async function take(answer: IncomingMessage, url: string, mostBytes: number, { signal }: Call): Promise<Fetched> {
  const { statusCode: status = 0, headers } = answer
  try {
    return { url, status, contentType: headers['content-type'] ?? '', bytes: await readBody(answer, url, mostBytes) }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw isAgentError(error) ? error : failure(`what ${url} answered breaks off (${describeError(error).detail})`)
  }
}
