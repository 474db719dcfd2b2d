import type { Call, Context, WebBackend, WebHit, WebSearch } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describeError, parseJson } from '@agent/plugin-sdk/http'
import { parseHits } from './wire.ts'

const backend: WebBackend = {
  async open(context) {
    const server = readServer(await context.secrets.get('SEARXNG_URL'))
    return { search: (search, call) => runSearch(context, server, search, call) }
  },
}

/** A path is kept, for servers that are not at the root of their host. */
function readServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const problem = (words: string): Error => fail('ENV_INVALID', { name: 'SEARXNG_URL', problem: words })
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw problem('is no http or https address')
  if (url.username !== '' || url.password !== '') throw problem('holds a name or a password, which cannot be sent')
  return url.origin + url.pathname.replace(/\/$/, '')
}

async function runSearch({ fetch }: Context, server: string, { query, most }: WebSearch, { signal }: Call): Promise<readonly WebHit[]> {
  const [{ ok, status }, body] = await fetch(`${server}/search?${new URLSearchParams({ q: query, format: 'json' })}`, { signal })
    .then(async (response) => [response, await response.text()] as const)
    .catch((error: unknown) => {
      throw signal.aborted ? signal.reason : failure(`${server} cannot be reached (${describeError(error).detail})`)
    })
  if (!ok) throw failure(statuses[status] ?? `${server} answered ${status}`)
  const hits = parseHits(parseJson(body))
  if (hits === undefined) throw failure(`what ${server} answered is no result of SearXNG`)
  return hits.slice(0, most)
}

const statuses: Readonly<Record<number, string>> = {
  403: 'the server does not answer in JSON: add json to search.formats in its settings.yml, and restart it',
  429: 'the server limits how often it is asked: allow this machine in its limiter.toml',
}

function failure(detail: string): Error {
  return fail('PLUGIN_FAILED', { plugin: 'web-backend-searxng', during: 'a search', detail })
}

export default backend
