import { makeFullHome, makeHome } from '../bench-home.ts'
import type { Bench, Figure, Row } from '../figure.ts'
import { runSound } from '../processes.ts'

/** Four characters of English or JSON are about one token. */
const charactersPerToken = 4

export const promptSize: Figure = {
  name: 'prompt-size',
  async measure(bench) {
    const { url } = await bench.model()
    const bare = await bodyOf(bench, makeHome(bench, 'prompt-size', { model: url }))
    const full = await bodyOf(bench, await makeFullHome(bench, 'prompt-size-full', { model: url }))
    const tokens = Math.ceil(bare.length / charactersPerToken)
    const note = `${countTools(bare)} tools; tokens estimated as characters of the body / ${charactersPerToken}`
    const fullNote = `${countTools(full)} tools; with the skills that come along, recall and checkpoints`
    return [
      judge('prompt-size', bare),
      { figure: 'prompt-tokens', budget: '≤ 3500 tokens', floor: '', value: `${tokens} tokens`, ok: tokens <= 3500, note },
      { ...judge('prompt-size-full', full), note: fullNote },
    ]
  },
}

/** What a bare turn sends. */
async function bodyOf(bench: Bench, home: string): Promise<string> {
  await runSound(bench, [`${bench.root}/host/bin/agent.mjs`, 'chat', '-z', 'hello'], { AGENT_HOME: home })
  return (await bench.model()).latest()
}

function judge(figure: string, body: string): Row {
  const bytes = Buffer.byteLength(body)
  return { figure, budget: '≤ 9000 bytes', floor: '', value: `${bytes} bytes`, ok: bytes <= 9000 }
}

function countTools(body: string): number {
  const { tools = [] } = JSON.parse(body) as { tools?: readonly unknown[] }
  return tools.length
}
