import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '@agent/plugin-sdk/errors'
import type { Bench } from './figure.ts'
import { type Server, startNode } from './processes.ts'

/** A gateway that has answered its first turn over the API. */
export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number
  /** Base URL of its API, with `/v1`. */
  readonly url: string
  /** Milliseconds from its start to the end of the first answer. */
  readonly readyMs: number
  /** Ids of the platforms that are connected now. */
  platforms(): readonly string[]
}

export interface GatewayOptions {
  readonly home: string
  readonly variables?: Readonly<Record<string, string>>
  /** More of the command line. */
  readonly args?: readonly string[]
}

export async function openGateway(bench: Bench, { home, variables = {}, args: more = [] }: GatewayOptions): Promise<GatewayProcess> {
  const port = await freePort()
  const args = [join(bench.root, 'host/bin/agent.mjs'), 'gateway', 'run', ...more]
  const startedAt = performance.now()
  const server = startNode(bench, args, { AGENT_HOME: home, API_SERVER_PORT: String(port), ...variables })
  const url = `http://127.0.0.1:${port}/v1`
  try {
    await firstAnswer(server, port)
    const readyMs = performance.now() - startedAt
    server.child.stdout?.resume()
    return {
      url,
      pid: server.pid,
      readyMs,
      platforms: () => connectedPlatforms(home),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

/** Milliseconds until a bare fastify answered once. */
export async function timeBareFastify(bench: Bench): Promise<number> {
  const port = await freePort()
  const startedAt = performance.now()
  await using server = startNode(bench, [join(bench.root, 'test/bench/programs/bare-fastify.mjs')], { API_SERVER_PORT: String(port) })
  await firstAnswer(server, port)
  return performance.now() - startedAt
}

/** Waits until a chat is answered; a server that is not there yet is asked again at once. */
async function firstAnswer(server: Server, port: number): Promise<void> {
  const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'hello' }] })
  for (const giveUpAt = performance.now() + 20_000; performance.now() < giveUpAt; ) {
    if (server.child.exitCode !== null)
      throw fail('INTERNAL', { detail: `the server ended with ${server.child.exitCode}: ${server.complaints()}` })
    const answer = await ask(port, body)
    if (answer?.includes('word')) return
    if (answer !== undefined) throw fail('INTERNAL', { detail: `the first answer was ${answer.slice(0, 300)}` })
    await sleep(2)
  }
  throw fail('INTERNAL', { detail: 'the server was not ready within 20 s' })
}

/** The body of an answer; undefined while nobody listens. */
function ask(port: number, body: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const asked = request({ host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (piece) => {
        text += piece
      })
      response.once('end', () => resolve(text))
      response.once('error', reject)
    })
    asked.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(undefined)
      else reject(error)
    })
    asked.end(body)
  })
}

function connectedPlatforms(home: string): readonly string[] {
  const file = join(home, 'gateway_state.json')
  if (!existsSync(file)) return []
  const { platforms } = JSON.parse(readFileSync(file, 'utf8')) as { platforms: readonly { platform: string; state: string }[] }
  return platforms.filter(({ state }) => state === 'connected').map(({ platform }) => platform)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
