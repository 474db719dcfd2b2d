import { expect, test } from 'vitest'
import {
  isMediaPath,
  isNumber,
  maskNumber,
  parseAccount,
  parseIncoming,
  parseList,
  parseMemory,
  parseProblem,
  parseSentId,
} from './wire.ts'

const sid = (kind: string) => `${kind}${'0123456789abcdef'.repeat(2)}`
const mediaPath = `/2010-04-01/Accounts/${sid('AC')}/Messages/${sid('MM')}/Media/${sid('ME')}`
const usual = { MessageSid: sid('SM'), AccountSid: sid('AC'), From: '+15550002222', To: '+15550001111', Body: ' Hello ', NumMedia: '0' }
const parse = (more: Readonly<Record<string, string>> = {}) => parseIncoming(new URLSearchParams({ ...usual, ...more }))

test('a text message is read', () => {
  expect(parse()).toEqual({ sid: sid('SM'), account: sid('AC'), from: '+15550002222', to: '+15550001111', body: ' Hello ', files: [] })
})

test('files are read without the host that they lie on', () => {
  const files = { NumMedia: '3', MediaUrl0: `https://api.twilio.com${mediaPath}`, MediaContentType0: 'Image/JPEG' }
  const strange = { MediaUrl1: 'https://evil.example.org/file', MediaUrl2: `https://x.org${mediaPath}/../../../secret` }
  expect(parse({ ...files, ...strange })?.files).toEqual([{ path: mediaPath, mime: 'image/jpeg' }])
  expect(parse({ ...files, NumMedia: 'many' })?.files).toEqual([])
  expect([isMediaPath(mediaPath), isMediaPath(`/x${mediaPath}`), isMediaPath('')]).toEqual([true, false, false])
})

test.each([
  { MessageSid: '' },
  { MessageSid: 'SM1' },
  { From: 'whatsapp:+15550002222' },
  { From: 'Shop' },
  { From: '' },
  { OptOutType: 'STOP' },
])('%o is no text message of a person', (more) => {
  expect(parse(more)).toBeUndefined()
})

test('a number has its country code, or is short', () => {
  for (const good of ['+15550001111', '+491701234567', '12345']) expect(isNumber(good)).toBe(true)
  for (const bad of ['', '015550001111', '+0123456789', '+1 555 000 1111', 'abc', '+1555000111122223']) expect(isNumber(bad)).toBe(false)
})

test('of a number little is shown', () => {
  expect(maskNumber('+15550001111')).toBe('+15…11')
  expect(maskNumber('12345')).toBe('…')
})

test('answers of Twilio are read as far as they go', () => {
  expect(parseAccount('{"sid":"AC1","status":"active","more":1}')).toEqual({ sid: 'AC1', status: 'active' })
  expect(parseSentId('{"sid":"SM1"}')).toBe('SM1')
  expect(parseSentId('{"sid":""}')).toBeUndefined()
  expect(parseProblem('{"code":21610,"message":"unsubscribed"}')).toBe('unsubscribed (21610)')
  expect(parseProblem('{"message":"down"}')).toBe('down')
  expect(parseList('{"messages":[{"sid":1},{"sid":"SM1","to":"+1","body":"x","date_created":"now"}]}')).toHaveLength(1)
  expect(parseMemory({ attempts: 1 })).toEqual({ attempts: [], sids: [] })
  for (const parser of [parseAccount, parseSentId, parseProblem, parseList]) {
    for (const text of ['', '<html>', '[]', '{"message":1}', 'null']) expect(parser(text)).toBeUndefined()
  }
})
