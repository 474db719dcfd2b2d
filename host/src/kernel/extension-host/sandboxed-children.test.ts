// @module-tag process
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type BuiltProgram, buildChildProgram } from '../../../../test/support/child-program.ts'
import { missingProgram, needs, sayMissing } from '../../../../test/support/needs.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import { type ExtensionRig, openExtensionRig, type RigOptions, type RigPlugin, toolSource } from './testing/extension-rig.ts'

let program: BuiltProgram
let scratch: string
beforeAll(async () => {
  program = await buildChildProgram()
  scratch = mkdtempSync(join(tmpdir(), 'sandboxed-'))
})
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})
afterAll(async () => {
  await program[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true, force: true })
})

const reason = 'made up'
const net = (...value: string[]) => ({ permissions: { net: { value, reason } } })
const open = (plugins: readonly RigPlugin[], more: Pick<RigOptions, 'bwrap' | 'isOwnDoor'> = {}): Promise<ExtensionRig> =>
  openExtensionRig({ program: program.file, plugins, sandbox: 'auto', ...more })

async function listen<T extends Server>(server: T): Promise<number> {
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

const greet: RequestListener = (_request, response) => void response.end('hello')
const line = (socket: NodeJS.ReadWriteStream): void => {
  socket.on('error', () => undefined)
  socket.write('banner\n')
  socket.on('data', (piece) => socket.write(`you said ${String(piece)}`))
}

describe('a sandboxed child', needs(findBwrap() || process.env.CI ? undefined : sayMissing('bwrap', 'bubblewrap')), () => {
  test('is what a plugin of others gets', async () => {
    await using rig = await open([{ id: 'mine', tool: 'return process.pid' }])
    expect(await rig.run('mine')).toBe('1')
    expect(rig.hosts.children()[0]).toMatchObject({ isolation: 'bwrap', pid: expect.any(Number) })
  })

  test('has its connections and requests in the log, with the plugin', async () => {
    const port = await listen(createHttpServer(greet))
    const tool = `return await (await context.fetch('http://127.0.0.1:${port}/x', { headers: { connection: 'close' } })).text()`
    await using rig = await open([{ id: 'mine', tool, manifest: net('127.0.0.1') }], { isOwnDoor: async () => false })
    expect(await rig.run('mine')).toBe('hello')
    const told = (words: string): (() => boolean) => {
      return () => rig.lines.some((line) => ['debug', words, '"mine"'].every((word) => line.includes(word)))
    }
    await expect.poll(told('a plugin sent a request')).toBe(true)
    await expect.poll(told('"state":"opened"')).toBe(true)
  })

  test('talks to what its manifest declares, by whatever means', needs(missingProgram('/usr/bin/openssl', 'openssl')), async () => {
    const [keyFile, certFile] = [join(scratch, 'key.pem'), join(scratch, 'cert.pem')]
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
    ]
    execFileSync('openssl', [...made, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
    const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)]
    const secureWeb = createHttpsServer({ key, cert }, greet)
    new WebSocketServer({ server: secureWeb }).on('connection', (socket) => socket.send('hello'))
    const ports = {
      raw: await listen(createServer(line)),
      tls: await listen(createTlsServer({ key, cert }, line)),
      http: await listen(createHttpServer(greet)),
      https: await listen(secureWeb),
    }
    const tool = `
        const { text } = await import('node:stream/consumers')
        const { once } = await import('node:events')
        const [net, tls, http, https, dns] = await Promise.all(['net', 'tls', 'http', 'https', 'dns/promises'].map((name) => import('node:' + name)))
        const told = { raw: [], tls: [] }
        const talk = async (socket, all) => {
          socket.setEncoding('utf8').on('data', (piece) => all.push(piece))
          socket.write('one')
          while (!all.join('').includes('said')) await new Promise((resolve) => setTimeout(resolve, 5))
          socket.end()
          return all.join('')
        }
        const get = (from, options) => new Promise((resolve, reject) => from.get(options, (answer) => resolve(text(answer))).on('error', reject))
        const insecure = { rejectUnauthorized: false }
        const first = net.connect(args.raw, 'localhost')
        const address = await dns.lookup('localhost')
        const heard = once(new WebSocket('wss://localhost:' + args.https, insecure), 'message')
        const agent = new Agent({ connect: insecure })
        const hosted = await context.fetch('http://localhost:' + args.http)
        return JSON.stringify({
          raw: await talk(first, told.raw),
          remote: first.remoteAddress,
          looked: await talk(net.connect({ host: address.address, port: args.raw }), []),
          tls: await talk(tls.connect({ host: 'localhost', port: args.tls, ...insecure }), told.tls),
          upgraded: await talk(tls.connect({ socket: net.connect(args.tls, 'localhost'), ...insecure }), []),
          http: await get(http, { host: 'localhost', port: args.http }),
          https: await get(https, { host: 'localhost', port: args.https, ...insecure }),
          fetch: await (await fetch('http://localhost:' + args.http)).text(),
          hosted: await hosted.text(),
          undici: await (await request('https://localhost:' + args.https, { dispatcher: agent })).body.text(),
          ws: String((await heard)[0]),
        })`
    const { outputFiles } = await build({
      stdin: {
        contents: `import WebSocket from 'ws'\nimport { Agent, request } from 'undici'\n${toolSource('mine', tool)}`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      ...{ bundle: true, write: false, platform: 'node', format: 'esm' },
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    })
    await using rig = await open([{ id: 'mine', source: outputFiles[0]?.text ?? '', manifest: net('localhost') }], {
      isOwnDoor: async () => false,
    })
    const said = 'banner\nyou said one'
    expect(JSON.parse(await rig.run('mine', ports))).toEqual({
      ...{ raw: said, remote: '127.0.0.1', looked: said, tls: said, upgraded: said },
      ...{ http: 'hello', https: 'hello', fetch: 'hello', hosted: 'hello', undici: 'hello', ws: 'hello' },
    })
  })

  test('has no debugger, whatever signal it sends itself', async () => {
    const tool = `const { url } = await import('node:inspector')
      process.kill(process.pid, 'SIGUSR1')
      await new Promise((resolve) => setTimeout(resolve, 300))
      return String(url())`
    await using rig = await open([{ id: 'mine', tool }])
    expect(await rig.run('mine')).toBe('undefined')
  })

  test('moves large files both ways', async () => {
    const size = 48 * 1024 * 1024
    const port = await listen(
      createHttpServer(async (request, response) => {
        let received = 0
        for await (const piece of request) received += (piece as Buffer).length
        response.setHeader('received', received)
        response.end(Buffer.alloc(size))
      }),
    )
    const tool = `let sent = 0
      const body = new ReadableStream({ pull: (to) => { sent += 65536; to.enqueue(new Uint8Array(65536)); if (sent === args.size) to.close() } })
      const answer = await fetch('http://localhost:' + args.port, { method: 'POST', body, duplex: 'half' })
      let back = 0
      for await (const piece of answer.body) back += piece.length
      return JSON.stringify([answer.headers.get('received'), back])`
    await using rig = await open([{ id: 'mine', tool, manifest: net('localhost'), entry: { memory_mb: 200 } }], {
      isOwnDoor: async () => false,
    })
    expect(JSON.parse(await rig.run('mine', { port, size }))).toEqual([String(size), size])
  })

  test('is told by name what its manifest lacks', async () => {
    const tool = `const { connect } = await import('node:net')
      return new Promise((resolve) => connect(args.port, args.host).once('connect', () => resolve('connected')).once('error', (error) => resolve(error.code + ' ' + error.message)))`
    const port = await listen(createServer(line))
    await using rig = await open([
      { id: 'closed', tool },
      { id: 'other', tool, manifest: net('example.org') },
      { id: 'public', tool, manifest: net('any') },
      { id: 'own', tool, manifest: net('private') },
      { id: 'one', tool, manifest: net('localhost:1') },
    ])
    const tried = (id: string, host = 'localhost') => rig.run(id, { port, host })
    expect(await tried('closed')).toMatch(/^EACCES .* manifest declares nothing in permissions.net$/)
    expect(await tried('other')).toMatch(
      /^EACCES .*: other may not connect to localhost:\d+: the manifest does not declare "localhost" in permissions.net$/,
    )
    expect(await tried('public')).toMatch(
      /^EACCES .*it leads to (127.0.0.1|::1) in a private network, and the manifest does not declare "private"/,
    )
    expect(await tried('one')).toMatch(/^EACCES .*does not declare "localhost"/)
    // The tests listen themselves: this is a port of the process of the agent.
    expect(await tried('own', '127.0.0.1')).toMatch(/^EACCES .*a door of the agent itself/)
  })

  test('of which nothing can be made is no fault of the plugin', async () => {
    const bwrap = join(scratch, 'bwrap')
    writeFileSync(bwrap, '#!/bin/sh\ncase "$*" in *bin/true) exit 0;; esac\necho "bwrap: out of namespaces" >&2\nexit 1\n')
    chmodSync(bwrap, 0o755)
    await using rig = await open([{ id: 'mine' }], { bwrap })
    await expect(rig.run('mine')).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
    await rig.until(() =>
      rig.lines.some((line) => line.includes('a child ended: its sandbox could not be set up: bwrap: out of namespaces')),
    )
    expect(rig.hosts.status()[0]).toMatchObject({ faults: 0 })
  })
})

test('without a sandbox that works a plugin runs in a plain child, unless its operator wants none', async () => {
  const bwrap = join(scratch, 'missing')
  await using rig = await open([{ id: 'mine' }, { id: 'wary', entry: { sandbox: 'bwrap' } }], { bwrap })
  expect(await rig.run('mine')).toBe('done')
  expect(rig.hosts.children()[0]).toMatchObject({ isolation: 'process' })
  await expect(rig.run('wary')).rejects.toMatchObject({ code: 'PLUGIN_BLOCKED' })
})
