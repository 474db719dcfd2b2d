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
  'openai-responses': (baseURL: string) => ({
    package: '@ai-sdk/openai',
    env: 'AI_SDK_API_KEY' as const,
    options: { baseURL },
    request: { openai: { store: false, include: ['reasoning.encrypted_content'], reasoningSummary: 'auto' } },
  }),
  'gemini-generate': (baseURL: string) => ({
    package: '@ai-sdk/google',
    env: 'AI_SDK_API_KEY' as const,
    options: { baseURL },
    request: { google: { thinkingConfig: { includeThoughts: true } } },
  }),
  'bedrock-converse': (baseURL: string) => ({
    package: '@ai-sdk/amazon-bedrock',
    env: 'AI_SDK_API_KEY' as const,
    options: { baseURL, region: 'us-east-1' },
    request: { bedrock: { reasoningConfig: { type: 'enabled', budgetTokens: 1024 } } },
  }),
}

export type TriedProtocol = keyof typeof packages

export function configOf(protocol: TriedProtocol, url: string, models: readonly string[] = []): BridgeConfig {
  return { folder, packages: { acme: { ...packages[protocol](url), models: [...models] } } }
}

/** A model of each that thinks. */
const models: Readonly<Record<TriedProtocol, string>> = {
  'openai-chat': 'a-deployment',
  'anthropic-messages': 'a-deployment',
  'openai-responses': 'gpt-5.1',
  'gemini-generate': 'gemini-3-flash-preview',
  'bedrock-converse': 'us.anthropic.claude-sonnet-4-5',
}

/** How the provider suite opens it: under the protocol of the server that it then asks. */
export const trials = Object.entries(models).map(([protocol, offers]) => ({
  ...{ protocol: protocol as TriedProtocol, offers },
  model: (name: string) => `acme/${name}`,
  open: async (url: string, key: string, models: readonly string[]) => ({
    entry: (await import('../src/bridge.ts')).default,
    ...{ config: configOf(protocol as TriedProtocol, url, models), secrets: { AI_SDK_API_KEY: key } },
  }),
}))
