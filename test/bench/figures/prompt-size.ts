import { makeHome } from '../bench-home.ts'
import type { Figure } from '../figure.ts'
import { runSound } from '../processes.ts'

/** Four characters of English or JSON are about one token. */
const charactersPerToken = 4

export const promptSize: Figure = {
  name: 'prompt-size',
  async measure(bench) {
    const model = await bench.model()
    const home = makeHome(bench, 'prompt-size', { model: model.url })
    await runSound(bench, [`${bench.root}/host/bin/agent.mjs`, 'chat', '-z', 'hello'], { AGENT_HOME: home })
    const body = await model.latest()
    const { tools = [] } = JSON.parse(body) as { tools?: readonly unknown[] }
    const bytes = Buffer.byteLength(body)
    const tokens = Math.ceil(body.length / charactersPerToken)
    const note = `${tools.length} tools; tokens estimated as characters of the body / ${charactersPerToken}`
    return [
      { figure: 'prompt-size', budget: '≤ 9000 bytes', floor: '', value: `${bytes} bytes`, ok: bytes <= 9000 },
      { figure: 'prompt-tokens', budget: '≤ 3500 tokens', floor: '', value: `${tokens} tokens`, ok: tokens <= 3500, note },
    ]
  },
}
