import { expect, test } from 'vitest'
import { isVouched, parseResults } from './authentication.ts'

const own = 'mx.example.org'
const vouched = (value: string, from = 'ann@people.org') => isVouched([value], own, from)

test('an example of RFC 8601 is read', () => {
  const { authservId, findings } = parseResults(
    'example.com; auth=pass (cram-md5) smtp.auth=sender@example.com; spf=pass smtp.mailfrom=example.com; sender-id=fail header.from=example.com',
  )
  expect(authservId).toBe('example.com')
  expect(findings.map(({ method, result }) => `${method}=${result}`)).toEqual(['auth=pass', 'spf=pass', 'sender-id=fail'])
})

test.each([
  ['dmarc', 'mx.example.org; dmarc=pass (p=reject dis=none) header.from=people.org'],
  ['dkim', 'mx.example.org; dkim=pass header.d=people.org header.s=key'],
  ['dkim by identity', 'mx.example.org; dkim=pass header.i=@people.org'],
  ['spf', 'mx.example.org; spf=pass smtp.mailfrom=bounces@people.org'],
  ['a version and other letters', 'MX.example.ORG 1; DKIM/1=PASS header.d=People.org'],
  ['the second of two signatures', 'mx.example.org; dkim=fail header.d=people.org; dkim=pass header.d=people.org'],
])('%s vouches for a sender', (_, value) => {
  expect(vouched(value)).toBe(true)
})

test('a domain speaks for those below it and for no others', () => {
  const value = 'mx.example.org; dkim=pass header.d=people.org'
  expect(vouched(value, 'ann@mail.people.org')).toBe(true)
  expect(vouched(value, 'ann@otherpeople.org')).toBe(false)
  expect(vouched('mx.example.org; dkim=pass header.d=mail.people.org')).toBe(false)
  expect(vouched('mx.example.org; dkim=pass header.d=org')).toBe(false)
})

test.each([
  ['nothing', 'mx.example.org; none'],
  ['another server', 'mx.evil.org; dmarc=pass header.from=people.org'],
  ['a name that only begins like ours', 'mx.example.org.evil.org; dmarc=pass header.from=people.org'],
  ['another domain', 'mx.example.org; dmarc=pass header.from=evil.org'],
  ['a signature of somebody else', 'mx.example.org; dkim=pass header.d=evil.org; spf=pass smtp.mailfrom=evil.org'],
  ['a pass in a comment', 'mx.example.org; dkim=fail (dmarc=pass header.from=people.org; dkim=pass header.d=people.org)'],
  ['a pass in a nested comment', 'mx.example.org; spf=none ((;) dmarc=pass header.from=people.org;)'],
  ['a pass in quotes', 'mx.example.org; dkim=fail reason="; dmarc=pass header.from=people.org"'],
  ['a pass in quotes with an escape', 'mx.example.org; dkim=fail reason="\\"; dmarc=pass header.from=people.org"'],
  ['a failed dmarc beside a pass', 'mx.example.org; spf=pass smtp.mailfrom=people.org; dmarc=fail header.from=people.org'],
  ['a soft failure', 'mx.example.org; spf=softfail smtp.mailfrom=people.org'],
])('%s vouches for nobody', (_, value) => {
  expect(vouched(value)).toBe(false)
})

test('only the topmost header of the own server counts', () => {
  const pass = 'mx.example.org; dmarc=pass header.from=people.org'
  const fail = 'mx.example.org; dmarc=fail header.from=people.org'
  const foreign = 'mx.elsewhere.org; dmarc=pass header.from=people.org'
  expect(isVouched([foreign, pass, fail], own, 'ann@people.org')).toBe(true)
  expect(isVouched([fail, pass], own, 'ann@people.org')).toBe(false)
  expect(isVouched([], own, 'ann@people.org')).toBe(false)
})
