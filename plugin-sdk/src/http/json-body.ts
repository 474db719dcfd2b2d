import type { HttpRequest } from '../contract/context.ts'
import { detailOf, fail } from '../contract/errors.ts'
import { readJson } from './parse-json.ts'

/** The JSON of a request; throws HTTP_CONTENT_TYPE or HTTP_BAD_JSON. What it holds is still unknown: parse it. */
export function parseJsonBody(request: Pick<HttpRequest, 'headers' | 'body'>): unknown {
  const got = request.headers['content-type'] ?? 'nothing'
  if (!/^application\/json\s*(;|$)/i.test(got)) throw fail('HTTP_CONTENT_TYPE', { got })
  return readJson(decode(request.body))
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw fail('HTTP_BAD_JSON', { detail: detailOf(cause) }, { cause })
  }
}
