import { expect, test } from 'vitest'
import { formatSignature, isSigned } from './signature.ts'

// The example of Twilio's documentation and libraries.
const token = '12345'
const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
const form = new URLSearchParams({
  Digits: '1234',
  To: '+18005551212',
  From: '+14158675309',
  Caller: '+14158675309',
  CallSid: 'CA1234567890ABCDE',
})
const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8='

test('the published example is signed as published', () => {
  expect(formatSignature(token, url, form)).toBe(signature)
  expect(isSigned(signature, token, url, form)).toBe(true)
})

test('names that come several times count with each value once', () => {
  const repeated = new URLSearchParams('Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234')
  expect(formatSignature(token, url, repeated)).toBe('IK+Dwps556ElfBT0I3Rgjkr1wJU=')
})

test('nothing else is believed', () => {
  const changed = new URLSearchParams(form)
  changed.set('Digits', '1235')
  const longer = new URLSearchParams(form)
  longer.set('Extra', '')
  expect(isSigned(signature, token, url, changed)).toBe(false)
  expect(isSigned(signature, token, url, longer)).toBe(false)
  expect(isSigned(signature, '12346', url, form)).toBe(false)
  expect(isSigned(signature, token, url.replace('https', 'http'), form)).toBe(false)
  expect(isSigned(signature, token, `${url}&baz=3`, form)).toBe(false)
  for (const wrong of ['', signature.slice(0, -1), signature.toLowerCase()]) expect(isSigned(wrong, token, url, form)).toBe(false)
})

test('the usual port may or may not be signed, and what follows # is not', () => {
  const withPort = 'https://mycompany.com:443/myapp.php?foo=1&bar=2'
  expect(isSigned(signature, token, withPort, form)).toBe(true)
  expect(isSigned(formatSignature(token, withPort, form), token, url, form)).toBe(true)
  expect(isSigned(signature, token, `${url}#rc=3&rp=all`, form)).toBe(true)
  const otherPort = 'https://mycompany.com:8443/myapp.php?foo=1&bar=2'
  expect(isSigned(formatSignature(token, otherPort, form), token, otherPort, form)).toBe(true)
  expect(isSigned(formatSignature(token, otherPort, form), token, url, form)).toBe(false)
})

test('a form is not searched once for each of its fields', () => {
  const many = new URLSearchParams(Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`name-${index}`, 'x'])))
  let searches = 0
  for (const search of ['get', 'getAll', 'has'] as const) Object.assign(many, { [search]: () => searches++ })
  isSigned('wrong', token, url, many)
  expect(searches).toBe(0)
})
