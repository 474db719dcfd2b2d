import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isOfPair } from '../../../host/src/tools/search/pair.ts'
import { addThirdPartyTools } from '../../support/tools/third-party-tools.ts'
import { makeHome } from '../bench-home.ts'
import { type ChatClient, chatMany, createChatClient } from '../chat-client.ts'
import { type Bench, type Figure, median, type Row } from '../figure.ts'
import { type GatewayProcess, openGateway } from '../gateway-process.ts'
import { processorSeconds } from '../processes.ts'

const tools = 500
const rounds = 16

/** What 500 tools of others cost a turn that uses none of them: the same turns by a gateway that has them and by one that has not. */
export const manyTools: Figure = {
  name: 'many-tools',
  async measure(bench) {
    await using plain = await openGateway(bench, { home: await homeWith(bench, 'many-tools-none', 0) })
    await using many = await openGateway(bench, { home: await homeWith(bench, 'many-tools', tools) })
    using client = createChatClient()
    // The pair is there for tools of the program too that are not listed: without them it would not be.
    const bytes = (await promptBytes(bench, client, many)) - (await promptBytes(bench, client, plain, isOfPair))
    const take = async (gateway: GatewayProcess, ms: number): Promise<number> => {
      const before = processorSeconds(gateway.pid)
      const { done } = await chatMany(client, gateway.url, { ms, concurrency: 16, signal: bench.signal })
      return ((processorSeconds(gateway.pid) - before) * 1e6) / done
    }
    for (const gateway of [plain, many]) await take(gateway, 3000)
    const pairs: (readonly [plain: number, many: number])[] = []
    for (let round = 0; round < rounds; round++) {
      // Which one comes first has its share in what it takes.
      const order = round % 2 === 0 ? [plain, many] : [many, plain]
      const took = new Map<GatewayProcess, number>()
      for (const gateway of order) took.set(gateway, await take(gateway, 1000))
      pairs.push([took.get(plain) ?? 0, took.get(many) ?? 0])
    }
    return [describeTime(pairs), describeBytes(bytes)]
  },
}

async function homeWith(bench: Bench, name: string, count: number): Promise<string> {
  const model = await bench.model()
  if (count === 0) return makeHome(bench, name, { model: model.url })
  const write = (file: string, text: string): string => {
    const path = join(bench.folder, name, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  const entries = addThirdPartyTools({ write }, count)
  return makeHome(bench, name, { model: model.url, config: [`plugins: ${JSON.stringify({ entries })}`] })
}

/** The tools as a request names them, but those that are left out. */
async function promptBytes(
  bench: Bench,
  client: ChatClient,
  { url }: GatewayProcess,
  isLeftOut: (name: string) => boolean = () => false,
): Promise<number> {
  const model = await bench.model()
  await client.chat(url, 'hello')
  const { tools: named = [] } = JSON.parse(await model.latest()) as { tools?: readonly { readonly function: { readonly name: string } }[] }
  const counted = named.filter((tool) => !isLeftOut(tool.function.name))
  return counted.reduce((sum, tool) => sum + JSON.stringify(tool.function).length + 1, 0)
}

function describeTime(pairs: readonly (readonly [plain: number, many: number])[]): Row {
  const more = median(pairs.map(([plain, many]) => many / plain)) - 1
  return {
    figure: 'many-tools-turn',
    budget: '≤ 5 % of a turn',
    floor: `${median(pairs.map(([plain]) => plain)).toFixed(0)} µs a turn without`,
    value: `${(100 * more).toFixed(1)} %`,
    ok: more <= 0.05,
    note: `${tools} tools of others; processor time a turn, median of the rounds' own ratios`,
  }
}

function describeBytes(bytes: number): Row {
  const note = `what the request says more of tools than without the ${tools}; the protocol wraps each of the two in 31 bytes more`
  return { figure: 'many-tools-prompt', budget: '≤ 300 bytes', floor: '', value: `${bytes} bytes`, ok: bytes > 0 && bytes <= 300, note }
}
