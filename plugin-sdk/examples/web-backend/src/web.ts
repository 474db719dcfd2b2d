import type { Context, WebBackend } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describeError, parseJson } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { parseHits, parsePage } from './wire.ts'

const backend: WebBackend<Config> = {
  async open(context) {
    return {
      search: async ({ query, most }, { signal }) => {
        const hits = parseHits(await ask(context, '/search', { query, most }, signal))
        if (hits === undefined) throw failure('a search', 'its answer cannot be read')
        return hits.slice(0, most).map(({ url, title, excerpt = '' }) => ({ url, title, excerpt }))
      },
      extract: async (url, { signal }) => {
        const page = parsePage(await ask(context, '/page', { url }, signal))
        if (page === undefined) throw failure('reading a page', 'its answer cannot be read')
        return { url: page.url, title: page.title, text: page.markdown }
      },
    }
  },
}

/** Every failure has a code; the words are for the person. */
function failure(during: string, detail: string): Error {
  return fail('PLUGIN_FAILED', { plugin: 'web-backend-sample', during, detail })
}

async function ask({ config, secrets, fetch }: Context<Config>, path: string, question: unknown, signal: AbortSignal): Promise<unknown> {
  const headers = { Authorization: `Bearer ${await secrets.get('SAMPLE_API_KEY')}`, 'Content-Type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(question), signal }
  const [{ ok, status }, body] = await fetch(config.server + path, request)
    .then(async (response) => [response, await response.text()] as const)
    .catch((error: unknown) => {
      throw signal.aborted ? signal.reason : failure('a question', describeError(error).detail)
    })
  if (!ok) throw failure('a question', `the service answered ${status}`)
  return parseJson(body)
}

export default backend
