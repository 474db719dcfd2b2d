import { fileURLToPath } from 'node:url'
import type { AcpConfig } from '../src/config.ts'

const relay = fileURLToPath(new URL('relay.mjs', import.meta.url))

/** How the provider suite opens each of them: an agent of the protocol answers by the server of the suite. */
export const trials = (['copilot-acp', 'claude-code-acp', 'acp'] as const).map((provider: keyof AcpConfig) => {
  let model = ''
  return {
    ...{ provider, protocol: 'openai-chat', wholeArguments: true, startsProgram: true },
    // The program has a login of its account, and is given no key.
    lacks: ['key'],
    // What its model was refused, the protocol does not say.
    classes: ['auth', 'server_error', 'disconnected'],
    model: (name: string) => {
      model = name
      return name
    },
    open: async (url: string, key: string) => ({
      entry: (await import('../src/acp.ts')).default,
      config: { [provider]: { command: process.execPath, args: [relay, url, key, model] } },
      secrets: {},
    }),
  }
})
