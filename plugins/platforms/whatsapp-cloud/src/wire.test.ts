import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseNotice, parseNumber, parsePlace, parseProblem, parseSentId, parseUploadedId } from './wire.ts'

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')
const number = '106540352242922'

test('a message is read with the name of who wrote it', () => {
  const notice = parseNotice(fixture('text'), number, undefined)
  expect(notice?.messages).toMatchObject([{ from: '15550002222', type: 'text', text: { body: 'Does it come in another color?' } }])
  expect(notice?.names.get('15550002222')).toBe('Ann')
  expect(notice?.names.get('US.13491208655302741918')).toBe('Ann')
  expect(notice?.statuses).toEqual([])
})

test('one message that cannot be read does not hold up the others', () => {
  const { messages = [] } = parseNotice(fixture('media'), number, undefined) ?? {}
  expect(messages).toHaveLength(9)
  expect(messages.map(({ id }) => id)).not.toContain(7)
})

test('statuses are read with our keys', () => {
  expect(parseNotice(fixture('statuses'), number, undefined)?.statuses).toMatchObject([
    { id: 'wamid.out1', status: 'sent', biz_opaque_callback_data: 'key-1' },
    { id: 'wamid.out2', status: 'failed', biz_opaque_callback_data: 'key-2', errors: [{ code: 131_047 }] },
  ])
})

test('what is about another number or account, or about something else, is left out', () => {
  expect(parseNotice(fixture('text'), '999999999999999', undefined)?.messages).toEqual([])
  expect(parseNotice(fixture('text'), number, '1')?.messages).toEqual([])
  expect(parseNotice(fixture('text'), number, '102290129340398')?.messages).toHaveLength(1)
  expect(parseNotice(fixture('text').replace('"field": "messages"', '"field": "smb_message_echoes"'), number, undefined)?.messages).toEqual(
    [],
  )
})

test.each(['', 'null', '[]', '<html>', '{"object":"page","entry":[]}', '{"object":"whatsapp_business_account"}'])(
  '%s is no call of WhatsApp',
  (text) => {
    expect(parseNotice(text, number, undefined)).toBeUndefined()
  },
)

test('answers of the API are read as far as they go', () => {
  expect(parseNumber('{"verified_name":"Agent","id":"1"}')).toEqual({ verified_name: 'Agent' })
  expect(parseSentId('{"messages":[{"id":"wamid.1","message_status":"accepted"}]}')).toBe('wamid.1')
  expect(parseUploadedId('{"id":"1"}')).toBe('1')
  expect(parsePlace('{"url":"https://x.org","file_size":3}')).toBe('https://x.org')
  for (const parse of [parseSentId, parseUploadedId, parsePlace, parseProblem]) {
    for (const text of ['', '{}', '<html>', '{"messages":[]}', '{"id":"","url":1,"error":"no"}']) expect(parse(text)).toBeUndefined()
  }
})

test('a refusal says why, and when to come again', () => {
  const problem = (error: object) => parseProblem(JSON.stringify({ error }))
  expect(problem({ code: 131_047, message: '(#131047) Re-engagement message' })?.detail).toMatch(
    /^the person has not written for 24 hours.* \(131047\)$/,
  )
  expect(problem({ code: 131_009, message: 'x', error_data: { details: 'Button title too long' } })?.detail).toBe(
    'Button title too long (131009)',
  )
  expect(problem({ code: 1 })).toEqual({ code: 1, detail: 'it says no more (1)', retryAfterMs: undefined })
  expect(problem({ code: 131_056, message: 'pair' })?.retryAfterMs).toBe(6000)
})
