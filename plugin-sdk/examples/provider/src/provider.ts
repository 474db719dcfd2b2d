import type { Provider } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { streamAnswer } from './stream-answer.ts'

const provider: Provider<Config> = {
  async open({ config, secrets, fetch }) {
    const url = `${config.server}/answers`
    return { stream: (request, call) => streamAnswer({ url, key: () => secrets.get('SAMPLE_API_KEY'), fetch }, request, call) }
  },
}

export default provider
