import { expect, test } from 'vitest'
import { parseJsonBody } from './json-body.ts'

const request = (body: string | Uint8Array, type?: string) => ({
  headers: type === undefined ? {} : { 'content-type': type },
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])('reads %s', (type) => {
  expect(parseJsonBody(request('{"a":"ü"}', type))).toEqual({ a: 'ü' })
})

test.each([undefined, 'text/plain', 'application/jsonp', 'application/problem+json', 'text/plain; application/json'])(
  'refuses the content type %s',
  (type) => {
    expect(() => parseJsonBody(request('{}', type))).toThrow(expect.objectContaining({ code: 'HTTP_CONTENT_TYPE' }))
  },
)

test('refuses what is nested too deep, or holds too much', () => {
  for (const body of ['['.repeat(100_000), `[${'0,'.repeat(1_000_000)}0]`])
    expect(() => parseJsonBody(request(body, 'application/json'))).toThrow(expect.objectContaining({ code: 'HTTP_BAD_JSON' }))
})

test.each([['{'], [''], [new Uint8Array([0x22, 0xff, 0x22])]])('refuses a body that is not JSON in UTF-8: %s', (body) => {
  expect(() => parseJsonBody(request(body, 'application/json'))).toThrow(expect.objectContaining({ code: 'HTTP_BAD_JSON' }))
})
