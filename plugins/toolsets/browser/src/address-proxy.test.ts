import { createServer, get, request } from 'node:http'
import { type AddressInfo, createServer as createRawServer } from 'node:net'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AddressProxy, openAddressProxy } from './address-proxy.ts'

let closers: (() => Promise<unknown>)[]
let port: number
let proxy: AddressProxy
let heads: string[]
beforeEach(async () => {
  heads = []
  const server = createServer((incoming, response) => {
    heads.push(`${incoming.method} ${incoming.headers.host} ${incoming.url} ${incoming.headers['proxy-connection'] ?? ''}`)
    incoming.pipe(response.setHeader('x-seen', 'yes'))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
  proxy = await openAddressProxy(async (url) => {
    if (new URL(url).hostname === 'good.example') return ['127.0.0.1']
    throw fail('WEB_ADDRESS_REFUSED', { url, reason: 'it leads into a private network' })
  })
  closers = [async () => proxy.close(), () => new Promise((done) => server.close(done).closeAllConnections())]
})
afterEach(async () => {
  for (const close of closers) await close()
})

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

function ask(url: string, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host, 'proxy-connection': 'keep-alive' }
    const asked = request({ host: '127.0.0.1', port: proxy.port, method: 'POST', path: url, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (bytes) => {
        text += String(bytes)
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    asked.on('error', reject).end(body)
  })
}

test('a request goes to the address that was looked up, with its body and without what concerns the proxy', async () => {
  expect(await ask(`http://good.example:${port}/a?b=1`, 'hello')).toEqual({ status: 200, text: 'hello' })
  expect(heads).toEqual([`POST good.example:${port} /a?b=1 `])
  expect(proxy.refusalOf(`http://good.example:${port}/`)).toBeUndefined()
})

test('what is refused goes nowhere, and the reason is kept for its host', async () => {
  const url = `http://127.0.0.1:${port}/secret`
  expect(await ask(url)).toEqual({ status: 403, text: expect.stringContaining('private network') })
  expect(await ask('ftp://good.example/')).toMatchObject({ status: 400 })
  expect([heads, proxy.refusalOf(url)?.code]).toEqual([[], 'WEB_ADDRESS_REFUSED'])
})

test.each(['HTTP/1.1 000 x\r\n\r\n', 'HTTP/1.1 099 x\r\n\r\n', 'HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'])(
  'an answer that cannot be passed on ends its request alone: %j',
  async (answer) => {
    const raw = createRawServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(answer))
    })
    await new Promise<void>((done) => raw.listen(0, '127.0.0.1', done))
    closers.push(() => new Promise((done) => raw.close(done)))
    expect(await ask(`http://good.example:${(raw.address() as AddressInfo).port}/`)).toEqual({ status: 502, text: '' })
    expect(await ask(`http://good.example:${port}/`, 'hello')).toEqual({ status: 200, text: 'hello' })
  },
)

function tunnel(target: string): Promise<string> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port: proxy.port, method: 'CONNECT', path: target, agent: false })
    asked.on('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy()
        return resolve(`refused ${response.statusCode}`)
      }
      get({ createConnection: () => socket, path: '/through', headers: { host: target } }, (answer) => {
        answer.resume()
        resolve(`${answer.statusCode} ${answer.headers['x-seen']}`)
        socket.destroy()
      })
    })
    asked.on('error', () => resolve('cut')).end()
  })
}

test('a tunnel is dug to what was looked up, and to nothing else', async () => {
  expect(await tunnel(`good.example:${port}`)).toBe('200 yes')
  expect(await tunnel(`127.0.0.1:${port}`)).toBe('refused 403')
  expect(await tunnel('good.example/path')).toBe('refused 400')
  expect(proxy.refusalOf(`https://127.0.0.1:${port}/`)?.code).toBe('WEB_ADDRESS_REFUSED')
  expect(heads).toEqual([`GET good.example:${port} /through `])
})

test('closing cuts what is open', async () => {
  const open = new Promise<string>((resolve) => {
    const asked = request({ host: '127.0.0.1', port: proxy.port, method: 'CONNECT', path: `good.example:${port}`, agent: false })
    asked.on('connect', (_response, socket) => {
      socket.on('error', () => undefined).once('close', () => resolve('cut'))
      void proxy.close()
    })
    asked.on('error', () => resolve('error')).end()
  })
  expect(await open).toBe('cut')
})
