import { expect, test } from 'vitest'
import { readAuthorization, signatureOf } from '../../../../test/support/fakes/sigv4.ts'
import { signRequest } from './aws-signature.ts'

// The values of the test suite that the vendor publishes for Signature Version 4.
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const signing = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey, service: 'service', region: 'us-east-1', now: Date.UTC(2015, 7, 30, 12, 36) }

test.each([
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
] as const)('%s is signed as the vendor says, and the fake agrees', async (_name, method, path, signature) => {
  const url = new URL(path, 'https://example.amazonaws.com')
  const proof = await signRequest({ method, url, headers: {}, body: undefined }, signing)
  expect(proof.authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  )
  const headers = { ...proof, host: url.host }
  expect(signatureOf({ method, path: url.pathname, query: url.search.slice(1), headers, raw: '' }, secretAccessKey)).toBe(signature)
})

test.each([
  '/model/us.anthropic.claude-sonnet-4-6-v1%3A0/converse-stream',
  `/model/${encodeURIComponent('arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0')}/converse-stream`,
])('the path %s, the body and a token are part of the signature', async (path) => {
  const url = new URL(path, 'https://bedrock-runtime.us-east-1.amazonaws.com')
  const raw = '{"messages":"Grüße"}'
  const request = { method: 'POST' as const, url, headers: { accept: 'x', 'content-type': 'application/json' }, body: raw }
  const proof = await signRequest(request, { ...signing, sessionToken: 'tok' })
  const seen = { method: 'POST', path: url.pathname, query: '', headers: { ...request.headers, ...proof, host: url.host }, raw }
  const { signature, signedHeaders } = readAuthorization(seen)
  expect(signedHeaders).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token']))
  expect(signatureOf(seen, secretAccessKey)).toBe(signature)
  for (const changed of [{ raw: '{}' }, { path: '/' }, { headers: { ...seen.headers, 'x-amz-security-token': 'other' } }]) {
    expect(signatureOf({ ...seen, ...changed }, secretAccessKey)).not.toBe(signature)
  }
})
