import type { ContextEngine } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { leaveOut } from './leave-out.ts'

const engine: ContextEngine<Config> = {
  async open({ config }) {
    return {
      async compress({ messages, room, onlyByModel }) {
        // It has no model to ask.
        if (onlyByModel) throw fail('PLUGIN_FAILED', { plugin: 'context-sample', during: 'shortening', detail: 'it asks no model' })
        return { messages: leaveOut(messages, { room, line: config.line }) }
      },
    }
  },
}

export default engine
