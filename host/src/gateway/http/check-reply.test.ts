import type { HttpReply } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { checkReply } from './check-reply.ts'

const check = (reply: unknown): HttpReply => checkReply(reply as HttpReply)

async function* stream(): AsyncGenerator<string> {
  yield 'a'
}

test.each([
  { status: 200 },
  { status: 599, body: 'text' },
  { status: 204, headers: {} },
  { status: 200, headers: { 'X-A': 'b' }, body: new Uint8Array([1]) },
  { status: 200, body: stream() },
  { status: 200, headers: { a: 'b'.repeat(16_383) } },
])('a reply of HTTP passes: %j', (reply) => {
  expect(check(reply)).toBe(reply)
})

test.each([
  [undefined, 'nothing'],
  [null, 'nothing'],
  ['text', 'nothing'],
  [{}, 'a status that is none'],
  [{ status: '200' }, 'a status that is none'],
  [{ status: 199 }, 'a status that is none'],
  [{ status: 600 }, 'a status that is none'],
  [{ status: 200.5 }, 'a status that is none'],
  [{ status: 200, headers: null }, 'headers that are none'],
  [{ status: 200, headers: 'a: b' }, 'headers that are none'],
  [{ status: 200, body: null }, 'a body that is neither text nor bytes'],
  [{ status: 200, body: 7 }, 'a body that is neither text nor bytes'],
  [{ status: 200, body: { a: 1 } }, 'a body that is neither text nor bytes'],
  [{ status: 200, headers: { a: 1 } }, 'a header that is no text'],
  [{ status: 200, headers: { 'Content-Length': '5' } }, 'the header Content-Length, which is not its to set'],
  [{ status: 200, headers: { 'transfer-encoding': 'chunked' } }, 'the header transfer-encoding'],
  [{ status: 200, headers: { 'a b': 'c' } }, 'a header that cannot be sent'],
  [{ status: 200, headers: { a: 'b\r\nc: d' } }, 'a header that cannot be sent'],
  [{ status: 200, headers: { a: 'b'.repeat(8_192), c: 'd'.repeat(8_192) } }, 'more than 16384 characters of headers'],
])('%j is answered with what is wrong', (reply, problem) => {
  expect(() => check(reply)).toThrowError(
    expect.objectContaining({ code: 'INTERNAL', params: { detail: expect.stringContaining(`answered with ${problem}`) } }),
  )
})
