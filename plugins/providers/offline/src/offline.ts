import type { Call, ModelEvent, ModelRequest, Provider } from '@agent/plugin-sdk'
import { readVariables } from '@agent/plugin-sdk/http'
import { answerRequest } from './answer.ts'
import type { OfflineConfig } from './config.ts'
import { play } from './play.ts'

/** Answers from a script when one is set, else understands the requests that README.md lists. */
const provider: Provider<OfflineConfig> = {
  async open(context) {
    const file = context.config.script ?? (await context.secrets.find('AGENT_OFFLINE_SCRIPT'))
    const isOpen = (await readVariables(context.secrets).switch('AGENT_OFFLINE_OPEN')) === true
    const script = file ? (await import('./script.ts')).openScript(file) : undefined
    return {
      stream: (request: ModelRequest, call: Call): AsyncIterable<ModelEvent> =>
        play(script ? () => script.next(request) : () => answerRequest(request, { isOpen }), { request, call, clock: context.clock }),
      models: async () => ['offline'],
    }
  },
}

export default provider
