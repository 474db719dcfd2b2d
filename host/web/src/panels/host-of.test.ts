import { expect, test } from 'vitest'
import { hostOf } from './host-of.ts'

test.each([
  ['https://accounts.example/authorize?client_id=x', 'accounts.example'],
  ['http://127.0.0.1:4000/', '127.0.0.1:4000'],
  ['https://good.example@evil.example/', 'evil.example'],
  ['https://g\u043e\u043ed.example/', 'xn--gd-fmca.example'],
  ['javascript:alert(1)//https://good.example', undefined],
  ['data:text/html,x', undefined],
  ['/panel/mcp', undefined],
  ['', undefined],
])('%s leads to %s', (address, host) => {
  expect(hostOf(address)).toBe(host)
})
