import { expect, test } from 'vitest'
import { readClientServers } from './client-servers.ts'

test('servers of an editor become settings: a program with its environment, an address with its headers, each under another name', () => {
  const env = [{ name: 'TOKEN', value: 't' }]
  const headers = [{ name: 'x-key', value: 'k' }]
  const long = 'a'.repeat(40)
  expect(
    readClientServers([
      { name: 'My notes!', command: '/bin/notes', args: ['-v'], env },
      { name: 'My notes?', command: '/bin/other', args: [], env: [] },
      { type: 'http', name: '', url: 'https://far/mcp', headers },
      { type: 'sse', name: long, url: 'http://near/sse', headers: [] },
      { type: 'sse', name: long, url: 'http://near/more', headers: [] },
    ]),
  ).toEqual({
    'My-notes-': { command: '/bin/notes', args: ['-v'], env: { TOKEN: 't' } },
    'My-notes--2': { command: '/bin/other', args: [], env: {} },
    server: { url: 'https://far/mcp', headers: { 'x-key': 'k' }, transport: 'http' },
    [long.slice(0, 32)]: { url: 'http://near/sse', headers: {}, transport: 'sse' },
    [`${long.slice(0, 30)}-2`]: { url: 'http://near/more', headers: {}, transport: 'sse' },
  })
})
