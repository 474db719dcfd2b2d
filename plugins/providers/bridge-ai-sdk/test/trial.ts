import type { BridgeConfig } from '../src/config.ts'

/** The repository, where tests start and npm has installed the packages that they use. */
const folder = process.cwd()

/** A package of each protocol, at an address of a test. */
export const packages = {
  'openai-chat': (baseURL: string) => ({
    ...{ package: '@ai-sdk/openai-compatible', env: 'AI_SDK_API_KEY' as const, options: { name: 'acme', baseURL, includeUsage: true } },
  }),
  'anthropic-messages': (baseURL: string) => ({
    package: '@ai-sdk/anthropic',
    env: 'AI_SDK_API_KEY' as const,
    options: { baseURL },
    request: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
  }),
}

export type TriedProtocol = keyof typeof packages

export function configOf(protocol: TriedProtocol, url: string, models: readonly string[] = []): BridgeConfig {
  return { folder, packages: { acme: { ...packages[protocol](url), models: [...models] } } }
}

/** How the provider suite opens it: under the protocol of the server that it then asks. */
export const trials = (['openai-chat', 'anthropic-messages'] as const).map((protocol) => ({
  protocol,
  model: (name: string) => `acme/${name}`,
  open: async (url: string, key: string, models: readonly string[]) => ({
    entry: (await import('../src/bridge.ts')).default,
    ...{ config: configOf(protocol, url, models), secrets: { AI_SDK_API_KEY: key } },
  }),
}))
