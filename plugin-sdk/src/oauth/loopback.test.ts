import { request } from 'node:http'
import { expect, test } from 'vitest'
import { openLoopback } from './loopback.ts'

function statusOf(port: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    asked.once('error', reject).end()
  })
}

test('a request whose path is no address is answered, and the login goes on', async () => {
  await using loopback = await openLoopback({ path: '/callback', name: 'Acme', state: 's', strict: true })
  const { port } = new URL(loopback.address)
  for (const path of ['//', '//[', 'http://[', '*', '/other']) expect(await statusOf(port, path), path).toBe(404)
  expect(await statusOf(port, '/callback?code=c&state=other')).toBe(400)
  const answer = loopback.wait(new AbortController().signal)
  expect(await statusOf(port, '/callback?code=c&state=s')).toBe(200)
  expect((await answer).get('code')).toBe('c')
})
