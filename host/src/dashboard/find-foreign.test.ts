import { expect, test } from 'vitest'
import { findForeign } from './find-foreign.ts'

const here = '127.0.0.1:9119'

test.each([
  ['a program', here, undefined],
  ['the page', here, `http://${here}`],
  ['the page by another name', 'localhost:9119', 'http://localhost:9119'],
  ['the page by IPv6', '[::1]:9119', 'http://[::1]:9119'],
  ['an opaque page', here, 'null'],
  ['a file', here, 'file://'],
])('on loopback %s is let in', (_who, host, origin) => {
  expect(findForeign({ host, origin }, { isLoopback: true })).toBeUndefined()
})

test.each([
  ['nobody', undefined, undefined],
  ['a name that leads here', 'evil.example:9119', undefined],
  ['a name that begins like one of ours', 'localhost.evil.example', 'http://localhost.evil.example'],
  ['a name behind a user', '127.0.0.1@evil.example', undefined],
  ['another site', here, 'https://evil.example'],
  ['another port', here, 'http://127.0.0.1:3000'],
  ['an extension', here, 'chrome-extension://abcdef'],
  ['no address', here, 'nonsense'],
])('on loopback %s is refused', (_who, host, origin) => {
  expect(findForeign({ host, origin }, { isLoopback: true })?.why).toBeTypeOf('string')
})

test.each([
  ['the page', 'http://box.lan:9119', undefined],
  ['a file', 'file://', 'the Origin is no website'],
  ['an opaque page', 'null', 'the Origin is no website'],
  ['another site', 'https://evil.example', 'the Origin is another host'],
])('beyond loopback %s is judged by the host alone', (_who, origin, why) => {
  expect(findForeign({ host: 'box.lan:9119', origin }, { isLoopback: false })?.why).toBe(why)
})

test('a proxy that was named is let in, with the ports of its scheme', () => {
  const bound = { isLoopback: true, publicUrl: new URL('https://agent.example') }
  expect(findForeign({ host: 'agent.example', origin: 'https://agent.example' }, bound)).toBeUndefined()
  expect(findForeign({ host: 'agent.example:443', origin: 'https://agent.example' }, bound)).toBeUndefined()
  expect(findForeign({ host: 'agent.example', origin: 'https://evil.example' }, bound)?.why).toBe('the Origin is another host')
})
