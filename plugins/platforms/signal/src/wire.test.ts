import { expect, test } from 'vitest'
import { isRestWrapper, parseAnswer, parseEvent, parseResults } from './wire.ts'

test.each(['', 'null', '{}', '[]', '{"envelope":{"dataMessage":{"message":"x"}}}', '{"exception":{"message":"x"}}', '<html>'])(
  '%j is no event',
  (data) => {
    expect(parseEvent(data)).toBeUndefined()
  },
)

test('an envelope without anything in it is one', () => {
  expect(parseEvent('{"envelope":{"sourceNumber":null,"timestamp":1}}')).toEqual({ envelope: { sourceNumber: null } })
})

test('a failure is read with what became of each receiver', () => {
  const results = [{ type: 'RATE_LIMIT_FAILURE', retryAfterSeconds: 30, token: 'x' }, { type: 'SUCCESS', retryAfterSeconds: null }, 'odd']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', error: { code: -5, message: 'Failed', data: { response: { results } } } })
  const { error } = parseAnswer(body) ?? {}
  expect(error).toMatchObject({ code: -5, message: 'Failed' })
  expect(parseResults(error?.data?.response?.results)).toEqual([
    { type: 'RATE_LIMIT_FAILURE', retryAfterSeconds: 30 },
    { type: 'SUCCESS', retryAfterSeconds: null },
  ])
  expect(parseResults(undefined)).toEqual([])
})

test('the REST wrapper is known by its versions', () => {
  expect(isRestWrapper('{"versions":["v1","v2"],"build":2}')).toBe(true)
  expect(isRestWrapper('404 page not found')).toBe(false)
})
