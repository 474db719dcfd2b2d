import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { type Bench, type Figure, percentile, type Row } from '../../figure.ts'
import { firstLine, runSound, startNode } from '../../processes.ts'
import { bundleOwn, installClients } from './clients.ts'

interface Cost {
  readonly token: number
  readonly call: number
}

interface Protocol {
  readonly name: string
  /** A provider of ours that speaks it, and where the fake speaks it. */
  readonly provider: string
  readonly path: string
  /** The vendor's own client, and the AI SDK's. */
  readonly vendor: string
  readonly client: string
}

const protocols: readonly Protocol[] = [
  { name: 'openai-chat', provider: 'deepinfra', path: '/v1', vendor: 'openai', client: 'openai' },
  { name: 'openai-responses', provider: 'openai', path: '/v1', vendor: 'openai', client: 'openai-responses' },
  { name: 'anthropic-messages', provider: 'anthropic', path: '', vendor: '@anthropic-ai/sdk', client: '@anthropic-ai/sdk' },
  { name: 'gemini-generate', provider: 'gemini', path: '/v1beta', vendor: '@google/genai', client: '@google/genai' },
  {
    name: 'bedrock-converse',
    provider: 'bedrock',
    path: '',
    vendor: '@aws-sdk/client-bedrock-runtime',
    client: '@aws-sdk/client-bedrock-runtime',
  },
]

/** Processor time of each protocol beside the vendor's client and the AI SDK, and how soon the first token is passed on. */
export const models: Figure = {
  name: 'models',
  onlyByName: true,
  async measure(bench) {
    const folder = await installClients(bench)
    const own = await bundleOwn(bench)
    await using server = startNode(bench, [join(bench.root, 'test/bench/programs/models/streams.mjs')])
    const origin = `http://127.0.0.1:${await firstLine(server)}`
    const rows: Row[] = []
    const waits: number[] = []
    for (const { name, provider, path, vendor, client } of protocols) {
      const costs = {
        own: await ask<Cost>(bench, [own, provider, origin, path, 'cost']),
        vendor: await ask<Cost>(bench, [join(folder, 'vendors.mjs'), client, origin]),
        sdk: await ask<Cost>(bench, [join(folder, 'vendors.mjs'), `ai: ${name}`, origin]),
      }
      rows.push(compare(`model-token ${name}`, vendor, costs, 'token'), compare(`model-call ${name}`, vendor, costs, 'call'))
      const first = await ask<{ waits: number[] }>(bench, [own, provider, origin, path, 'first'])
      waits.push(percentile(first.waits, 0.95))
    }
    return [...rows, judgeFirst(Math.max(...waits))]
  },
}

async function ask<T>(bench: Bench, args: readonly string[]): Promise<T> {
  const { output } = await runSound(bench, args)
  const line = output.split('\n').find((one) => one.startsWith('{'))
  if (line === undefined) throw fail('INTERNAL', { detail: `${args.join(' ')} printed nothing` })
  return JSON.parse(line) as T
}

interface Costs {
  readonly own: Cost
  readonly vendor: Cost
  readonly sdk: Cost
}

function compare(figure: string, vendor: string, { own, vendor: theirs, sdk }: Costs, what: 'token' | 'call'): Row {
  const share = own[what] / Math.min(theirs[what], sdk[what])
  const digits = what === 'token' ? 1 : 0
  return {
    figure,
    budget: '≤ 50 % of the cheaper one',
    floor: `${theirs[what].toFixed(digits)} ${vendor}, ${sdk[what].toFixed(digits)} AI SDK`,
    value: `${(share * 100).toFixed(0)} % (${own[what].toFixed(digits)} µs a ${what})`,
    ok: share <= 0.5,
  }
}

function judgeFirst(slowest: number): Row {
  return {
    figure: 'model-first-token',
    budget: '≤ 1 ms, p95',
    floor: '',
    value: `${slowest.toFixed(2)} ms`,
    ok: slowest <= 1,
    note: 'from when its bytes are in the process until its event is passed on; the slowest protocol',
  }
}
