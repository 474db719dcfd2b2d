import { join } from 'node:path'
import type { Bench } from './figure.ts'
import { firstLine, startNode } from './processes.ts'

/** The instant model in its own process. */
export interface FakeModel extends AsyncDisposable {
  /** Base URL, with `/v1`. */
  readonly url: string
  /** Body of the last request. */
  latest(): Promise<string>
}

export async function startFakeModel(bench: Bench): Promise<FakeModel> {
  const server = startNode(bench, [join(bench.root, 'test/bench/programs/fake-model.mjs')])
  const origin = `http://127.0.0.1:${await firstLine(server)}`
  return {
    url: `${origin}/v1`,
    latest: async () => (await fetch(`${origin}/latest`)).text(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** The plain relay to the same model, in its own process. */
export interface PlainProxy extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

export async function startPlainProxy(bench: Bench, model: FakeModel): Promise<PlainProxy> {
  const server = startNode(bench, [join(bench.root, 'test/bench/programs/plain-proxy.mjs'), model.url])
  return {
    url: `http://127.0.0.1:${await firstLine(server)}/v1`,
    pid: server.pid,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
