import { expect, test } from 'vitest'
import { parseAnswer, parseUpdate } from './wire.ts'

test.each([null, 'x', [], {}, { update_id: '1' }, { message: {} }])('%j is no update', (value) => {
  expect(parseUpdate(value)).toBeUndefined()
})

test('an update that we cannot read keeps its number, so that it can be passed over', () => {
  expect(parseUpdate({ update_id: 5, message: { message_id: 'one' } })).toEqual({ update_id: 5 })
  expect(parseUpdate({ update_id: 5, callback_query: { id: 7 } })).toEqual({ update_id: 5 })
  expect(parseUpdate({ update_id: 6, poll: {} })).toEqual({ update_id: 6 })
})

test.each(['', '<html>502 Bad Gateway</html>', 'null', '[]', '{"result":1}'])('%j is no answer', (body) => {
  expect(parseAnswer(body)).toBeUndefined()
})

test('a refusal says when to come again', () => {
  const body = '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}'
  expect(parseAnswer(body)).toMatchObject({ ok: false, parameters: { retry_after: 7 } })
})
