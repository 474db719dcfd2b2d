import { expect, test } from 'vitest'
import { tellRequest } from './tell-request.ts'

const ended = { status: 200, ms: 1.6 }

test('a request is told by where it goes and how it ends', () => {
  expect(tellRequest('https://chat.example.net/rooms/12345678901234567890/send', 'put', ended)).toEqual({
    ...{ method: 'PUT', host: 'chat.example.net', path: '/rooms/12345678901234567890/send', status: 200, ms: 2 },
  })
  const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') })
  expect(tellRequest(new URL('http://127.0.0.1:9/x'), undefined, { error, ms: 3 })).toEqual({
    ...{ method: 'GET', host: '127.0.0.1:9', path: '/x', error: 'connect ECONNREFUSED 127.0.0.1:9', ms: 3 },
  })
})

test.each([
  ['the query', 'https://chat.example.net/x?key=hunter2'],
  ['the fragment', 'https://chat.example.net/x#hunter2'],
  ['a name and a password', 'https://bot:hunter2@chat.example.net/x'],
  ['what looks like a key in the path', 'https://chat.example.net/bot12345:hunter2hunter2hunter2/x'],
])('%s of an address is not told', (_name, url) => {
  expect(JSON.stringify(tellRequest(url, 'GET', ended))).not.toContain('hunter2')
  expect(JSON.stringify(tellRequest(url, 'GET', { error: new Error('no https://bot:hunter2@chat.example.net'), ms: 1 }))).not.toContain(
    'hunter2',
  )
})

test('what was thrown and is no error says itself', () => {
  expect(tellRequest('https://a.example/', undefined, { error: 'no luck', ms: 1 })).toMatchObject({ method: 'GET', error: 'no luck' })
})
