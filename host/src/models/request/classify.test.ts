import { modelErrorClasses } from '@agent/plugin-sdk'
import { fromWireError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { classify, failedEvent, parseRetryAfter } from './classify.ts'
import { describeError, readRefusal } from './refusal.ts'

test.each([
  [401, 'Incorrect API key provided', 'auth'],
  [403, 'Your API key does not have permission', 'auth'],
  [403, 'Key limit exceeded (spending limit)', 'billing'],
  [403, 'Country, region, or territory not supported', 'provider_policy_blocked'],
  [402, 'Insufficient credits', 'billing'],
  [402, 'Usage limit reached, try again in 5 minutes', 'rate_limit'],
  [404, 'The model `gpt-9` does not exist', 'model_not_found'],
  [404, 'No endpoints found matching your data policy', 'provider_policy_blocked'],
  [404, '404 page not found', 'unknown'],
  [408, 'Request timeout', 'timeout'],
  [413, 'Request exceeds the maximum size', 'payload_too_large'],
  [429, 'Rate limit reached for requests', 'rate_limit'],
  [429, 'The engine is currently overloaded', 'overloaded'],
  [429, 'You exceeded your current quota', 'billing'],
  [400, 'messages.0.content.1.image: image exceeds 5 MB maximum', 'image_too_large'],
  [400, "Unsupported parameter: 'max_tokens' is not supported with this model", 'format_error'],
  [400, "This model's maximum context length is 8192 tokens", 'context_overflow'],
  [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'context_overflow'],
  [400, 'the request exceeds the available context size', 'context_overflow'],
  [400, 'The response was filtered due to the content management policy', 'content_policy_blocked'],
  [400, 'nope-1 is not a valid model ID: no such model', 'model_not_found'],
  [400, 'Your credit balance is too low', 'billing'],
  [400, 'API key not valid. Please pass a valid API key.', 'auth'],
  [400, 'User location is not supported for the API use.', 'provider_policy_blocked'],
  [400, 'The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).', 'context_overflow'],
  [400, 'Function call is missing a thought_signature in functionCall parts.', 'thinking_signature'],
  [400, 'The provided model identifier is invalid.', 'model_not_found'],
  [400, 'something else', 'format_error'],
  [400, 'messages.1.content.0: Invalid `signature` in `thinking` block', 'thinking_signature'],
  [400, 'thinking blocks in the latest assistant message cannot be modified', 'thinking_signature'],
  [400, 'failed to parse grammar', 'llama_cpp_grammar_pattern'],
  [422, 'extra inputs are not permitted', 'format_error'],
  [500, 'Internal server error', 'server_error'],
  [500, 'input exceeds the context window', 'context_overflow'],
  [502, 'Bad gateway', 'server_error'],
  [503, 'Service unavailable', 'overloaded'],
  [504, 'Gateway time-out', 'timeout'],
  [529, 'Overloaded', 'overloaded'],
  [599, 'strange', 'server_error'],
  [418, 'teapot', 'format_error'],
  [undefined, 'Overloaded', 'overloaded'],
  [undefined, 'Request timed out', 'timeout'],
  [undefined, 'who knows', 'unknown'],
] as const)('status %s with "%s" is %s', (status, message, expected) => {
  expect(classify({ status, message })).toBe(expected)
})

test.each([
  [400, 'context_length_exceeded', 'context_overflow'],
  [429, 'insufficient_quota', 'billing'],
  [400, 'invalid_encrypted_content', 'thinking_signature'],
  [undefined, 'overloaded_error', 'overloaded'],
  [undefined, 'rate_limit_exceeded', 'rate_limit'],
  [undefined, '429', 'rate_limit'],
  [401, 'rate_limit_error', 'auth'],
] as const)('status %s with the code %s is %s', (status, code, expected) => {
  expect(classify({ status, codes: [code], message: 'no words' })).toBe(expected)
})

test('a quota that a vendor tells the end of is a limit and no bill, and its time is kept', async () => {
  const refuse = (message: string, details: object[] = []) => {
    const body = JSON.stringify([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message, details } }])
    return readRefusal(new Response(body, { status: 429 }), { provider: 'vendor', key: undefined }, 0)
  }
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.1s' }
  expect(await refuse('You exceeded your current quota, please check your plan and billing details.', [{}, retry])).toMatchObject({
    class: 'rate_limit',
    error: { retryAfterMs: 34_100 },
  })
  expect((await refuse('Your prepayment credits are depleted.')).class).toBe('billing')
})

test('a kind of error that is named in a header only decides as a code does', async () => {
  const refuse = async (status: number, kind: string) => {
    const headers = { 'x-amzn-errortype': `${kind}:http://internal.amazon.com/coral/` }
    const body = JSON.stringify({ Message: 'Too many tokens, please wait before trying again.' })
    return (await readRefusal(new Response(body, { status, headers }), { provider: 'vendor', key: undefined }, 0)).class
  }
  expect(await refuse(429, 'ThrottlingException')).toBe('rate_limit')
  expect(await refuse(403, 'ExpiredTokenException')).toBe('auth')
  expect(await refuse(424, 'ModelErrorException')).toBe('server_error')
  expect(await refuse(400, 'ServiceQuotaExceededException')).toBe('rate_limit')
})

test('every class has a sentence for the user', () => {
  for (const kind of modelErrorClasses) {
    const { error } = failedEvent({ provider: 'vendor', key: undefined }, { class: kind, detail: 'because.' })
    expect(fromWireError(error).message).toMatch(/vendor.*because\.( |$)|because.*vendor/)
  }
})

test('the key never leaves with an error, whole or starred out, and the detail is one short line', () => {
  const source = { provider: 'vendor', key: 'a-very-secret-key' }
  const detail = `Key a-very-secret-key\n (sk-ab****wxyz) is wrong. ${'x'.repeat(1000)}`
  const shown = String(failedEvent(source, { class: 'auth', detail }).error.params.detail)
  expect(shown).toMatch(/^Key \*\*\* \(\*\*\*\) is wrong\. x+…$/)
  expect(shown.length).toBeLessThan(520)
})

test('the password of an address never leaves with an error', () => {
  const event = failedEvent(
    { provider: 'mine', key: undefined },
    { class: 'disconnected', detail: 'no https://me:secret@host/v1?api_key=abc' },
  )
  expect(JSON.stringify(event)).not.toMatch(/me:secret|=abc/)
})

test('Retry-After is read as seconds, as a date and in milliseconds', () => {
  const now = Date.UTC(2026, 10, 21, 12, 0, 0)
  const read = (headers: Record<string, string>) => parseRetryAfter(new Headers(headers), now)
  expect(read({ 'retry-after': '7' })).toBe(7000)
  expect(read({ 'retry-after': '1.5' })).toBe(1500)
  expect(read({ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' })).toBe(30_000)
  expect(read({ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' })).toBe(0)
  expect(read({ 'retry-after': 'soon' })).toBeUndefined()
  expect(read({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250)
  expect(read({})).toBeUndefined()
})

test.each([
  [{ error: { message: 'no', code: 'a', type: 'b' } }, { message: 'no', codes: ['a', 'b'] }],
  [{ error: 'plain' }, { message: 'plain', codes: [] }],
  [
    { message: 'outer', code: 5 },
    { message: 'outer', codes: ['5', '5'] },
  ],
  [{ detail: 'fast' }, { message: 'fast', codes: [] }],
  [[{ error: { message: 'listed', code: 400 } }], { message: 'listed', codes: ['400'] }],
  [{ error: { message: 'worded', code: 8, status: 'NO' } }, { message: 'worded', codes: ['8', 'NO'] }],
  [{ error: { code: 'only_code' } }, { message: 'only_code', codes: ['only_code'] }],
  [{ error: { message: 'outer', metadata: { raw: 'inner' } } }, { message: 'outer: inner', codes: [] }],
  ['text', undefined],
  [{}, undefined],
])('the error body %j is understood', (body, expected) => {
  expect(describeError(body)).toEqual(expected)
})
