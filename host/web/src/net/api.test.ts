import { expect, test } from 'vitest'
import { ApiFailure, addressOf, createApi } from './api.ts'
import type { PageToken } from './page-token.ts'
import { hrefOf, parsePlace } from './route.ts'

const fixed = (value: string): PageToken => ({ value: () => value, renew: async () => false })

const respond = (status: number, body: string) =>
  createApi({
    base: 'http://here/below/',
    token: fixed('secret'),
    profile: 'work',
    fetch: async () => new Response(body, { status }),
  })

test('an address is relative, has its parts encoded and names the profile', () => {
  expect(addressOf('PUT messaging/platforms/{id}', { params: { id: 'a/b' } }, 'work')).toBe('api/messaging/platforms/a%2Fb?profile=work')
  expect(addressOf('GET sessions', { query: { limit: 5, source: undefined } }, undefined)).toBe('api/sessions?limit=5')
})

test('the token is in a header and never in the address', async () => {
  const seen: unknown[] = []
  const api = createApi({
    base: 'http://here/below/',
    token: fixed('secret'),
    profile: undefined,
    fetch: async (...request) => {
      seen.push(...request)
      return new Response('{}')
    },
  })
  await api.ask('PUT env', { body: { name: 'A', value: 'b' } })
  expect(String(seen[0])).toBe('http://here/below/api/env')
  expect(seen[1]).toMatchObject({ method: 'PUT', headers: { 'X-Agent-Session-Token': 'secret' }, body: '{"name":"A","value":"b"}' })
})

test('a failure says its sentence and the fields at fault', async () => {
  const body = JSON.stringify({ error: { code: 'HTTP_INVALID', message: 'The port is wrong.', fields: { port: 'is no number' } } })
  const failure = await respond(400, body)
    .ask('GET setup')
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ApiFailure)
  expect(failure).toMatchObject({ status: 400, message: 'The port is wrong.', fields: { port: 'is no number' } })
})

test.each([
  [401, '', 'Reload the page'],
  [502, '<html>', 'Its log says why'],
])('status %i says what to do', async (status, body, words) => {
  await expect(respond(status, body).ask('GET setup')).rejects.toThrow(words)
})

test('what was asked with the token of before a restart is asked again with the next one, once', async () => {
  const sent: unknown[] = []
  let value = 'first'
  const ask = (isRenewed: boolean) => {
    const renew = async () => {
      value = 'second'
      return isRenewed
    }
    const fetch = async (_: unknown, request?: RequestInit) => {
      sent.push([new Headers(request?.headers).get('X-Agent-Session-Token'), request?.body])
      const refused = '{"error":{"code":"HTTP_TOKEN_INVALID","message":"no"}}'
      return value === 'second' && isRenewed ? new Response('{"live":true}') : new Response(refused, { status: 401 })
    }
    const api = createApi({ base: 'http://here/', token: { value: () => value, renew }, profile: undefined, fetch })
    return api.ask('PUT env', { body: { name: 'A' } })
  }
  expect(await ask(true)).toEqual({ live: true })
  expect(sent).toEqual([
    ['first', '{"name":"A"}'],
    ['second', '{"name":"A"}'],
  ])
  await expect(ask(false)).rejects.toThrow('Reload the page')
  expect(sent).toHaveLength(3)
})

test('a server that is away is told as such', async () => {
  const api = createApi({
    base: 'http://here/',
    token: fixed(''),
    profile: undefined,
    fetch: () => Promise.reject(new TypeError('failed')),
  })
  await expect(api.ask('GET status')).rejects.toThrow('does not answer')
})

test('a place survives what is in its name', () => {
  expect(parsePlace(hrefOf('chat', 'a/b c%'))).toEqual({ page: 'chat', rest: 'a/b c%' })
  expect(parsePlace('')).toEqual({ page: '', rest: '' })
  expect(parsePlace('#/chat/%zz')).toEqual({ page: 'chat', rest: '%zz' })
})
