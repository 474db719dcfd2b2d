// @module-tag process
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createLineReader, openLineSocket } from './line-socket.ts'

function read(...chunks: readonly (string | Buffer)[]): readonly string[] {
  const lines: string[] = []
  const reader = createLineReader((line) => lines.push(line))
  for (const chunk of chunks) reader(Buffer.from(chunk as string))
  return lines
}

test('lines may come in any pieces', () => {
  const bytes = Buffer.from('one\r\ntwo é\nthree\r\nfour')
  for (let size = 1; size <= bytes.length; size += 1) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
    expect(read(...pieces)).toEqual(['one', 'two é', 'three'])
  }
})

test('what is not UTF-8 is read as Latin-1', () => {
  expect(read(Buffer.from([0x63, 0x61, 0x66, 0xe9, 10]))).toEqual(['café'])
})

test('a line that is too long is dropped, and the next one is read', () => {
  expect(read(`${'x'.repeat(8192)}\nnext\n`)).toEqual(['x'.repeat(8192), 'next'])
  expect(read(`${'x'.repeat(8193)}\nnext\n`)).toEqual(['next'])
  expect(read('x'.repeat(8000), 'x'.repeat(8000), 'x'.repeat(8000), '\nnext\n')).toEqual(['next'])
})

const quiet = { clock: createSystemClock(), signal: new AbortController().signal, onLine: () => undefined, onEnd: () => undefined }

test('an address where nobody listens is named', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  await expect(openLineSocket({ host: '127.0.0.1', port, tls: false, ...quiet })).rejects.toMatchObject({
    code: 'PLATFORM_UNREACHABLE',
    params: { detail: expect.stringContaining(`127.0.0.1:${port}: connect ECONNREFUSED`) },
  })
})

test('a server that speaks no TLS is told from others: it answers with words, or hangs up', async () => {
  for (const answer of ['NOTICE * :Hello\r\n', '']) {
    const server = createServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.end(answer)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await expect(openLineSocket({ host: '127.0.0.1', port, tls: true, ...quiet })).rejects.toMatchObject({
      params: { detail: expect.stringMatching(/; a server without TLS on this port wants IRC_USE_TLS=false$/) },
    })
    await new Promise((resolve) => server.close(resolve))
  }
})

test('a certificate that nobody vouches for is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-irc-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost']
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore', timeout: 10_000 })
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) })
  rmSync(folder, { recursive: true })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    await expect(openLineSocket({ host: 'localhost', port, tls: true, ...quiet })).rejects.toMatchObject({
      code: 'PLATFORM_UNREACHABLE',
      params: { detail: expect.stringMatching(/self-signed certificate/) },
    })
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
})
