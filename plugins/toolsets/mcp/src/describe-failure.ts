import { detailOf, isAgentError } from '@agent/plugin-sdk/errors'
import { loginCode } from './with-login.ts'

/** As much as a person reads of what a server said. */
const mostWords = 400

/** What went wrong, with what the server itself said last. */
export function describeFailure(error: unknown, lastWords = ''): string {
  const what = sentenceOf(error).replace(/\.$/, '')
  const words = lastWords.replaceAll(/\s+/g, ' ').trim().slice(-mostWords)
  return words === '' ? what : `${what} (it said: ${words})`
}

function sentenceOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (code === 'ENOENT') return 'its command, or its folder, is not there'
  if (code === 'CONNECTION_CLOSED') return 'it has ended'
  if (isAgentError(error)) return error.message
  const text = withCauses(error)
  return /connection closed/i.test(text) ? 'it has ended' : text
}

/** `fetch failed` says nothing; what it was caused by does. */
function withCauses(error: unknown): string {
  const texts: string[] = []
  for (let one = error; one instanceof Error && texts.length < 4; one = one.cause) {
    if ((one as { readonly code?: unknown }).code === loginCode) return one.message
    const text = one.message || String((one as { readonly code?: unknown }).code ?? '')
    if (text !== '' && !texts.some((before) => before.includes(text))) texts.push(text)
  }
  return texts.join(': ') || detailOf(error)
}
