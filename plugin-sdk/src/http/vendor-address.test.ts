import { expect, test } from 'vitest'
import { isVendorAddress } from './vendor-address.ts'

test.each([
  ['https://api.vendor.example/files/1', true],
  ['https://files.vendor.example/1', true],
  ['https://vendor.example/1', true],
  ['http://api.local:8080/files/1', true],
  ['http://files.vendor.example/1', false],
  ['https://files.vendor.example:8443/1', false],
  ['https://files.vendor.example.evil.example/1', false],
  ['https://evilvendor.example/1', false],
  ['https://vendor.example@evil.example/1', false],
  ['https://name:word@files.vendor.example/1', false],
  ['http://169.254.169.254/latest/meta-data', false],
  ['http://api.local:8081/files/1', false],
  ['file:///etc/passwd', false],
  ['/files/1', false],
])('%s', (address, isTheirs) => {
  expect(isVendorAddress(address, 'http://api.local:8080/v1', ['vendor.example'])).toBe(isTheirs)
})
