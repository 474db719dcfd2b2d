import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { HttpReply } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'

/** What clients take, all headers of an answer together. */
const mostHeaderCharacters = 16_384
/** They say where an answer ends, which is known here only. */
const ours = new Set(['connection', 'content-length', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

/** A reply comes from a plugin, which may answer anything: what is no answer of HTTP is told as an error, before a byte of it is written. */
export function checkReply(reply: HttpReply): HttpReply {
  const problem = findProblem(reply)
  if (problem !== undefined) throw fail('INTERNAL', { detail: `the handler of this address answered with ${problem}` })
  return reply
}

function findProblem(reply: unknown): string | undefined {
  if (typeof reply !== 'object' || reply === null) return 'nothing'
  const { status, headers = {}, body = '' } = reply as Readonly<Record<string, unknown>>
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return 'a status that is none'
  if (typeof headers !== 'object' || headers === null) return 'headers that are none'
  const isBody = typeof body === 'string' || body instanceof Uint8Array
  if (!isBody && !(typeof body === 'object' && body !== null && Symbol.asyncIterator in body))
    return 'a body that is neither text nor bytes'
  return findHeaderProblem(Object.entries(headers))
}

function findHeaderProblem(headers: readonly (readonly [string, unknown])[]): string | undefined {
  let characters = 0
  for (const [name, value] of headers) {
    if (typeof value !== 'string') return 'a header that is no text'
    if (ours.has(name.toLowerCase())) return `the header ${name}, which is not its to set`
    characters += name.length + value.length
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch (error) {
      return `a header that cannot be sent (${detailOf(error).slice(0, 100)})`
    }
  }
  return characters > mostHeaderCharacters ? `more than ${mostHeaderCharacters} characters of headers` : undefined
}
