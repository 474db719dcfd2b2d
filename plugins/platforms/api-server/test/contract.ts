import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/door/config.ts'

const config: Config = {
  enabled: true,
  host: '127.0.0.1',
  port: 0,
  cors_origins: [],
  tool_progress: 'safe',
  responses: { tool_items: 'mcp_call' },
  show_reasoning: false,
  max_body_mb: 10,
  max_concurrent_runs: 64,
}

const key = 'a-key-of-the-contract'

/** What the contract suite does with this door. */
export async function openWorld(): Promise<PlatformWorld> {
  return {
    config,
    secrets: { API_SERVER_KEY: key },
    refused: { config: { ...config, host: '0.0.0.0' } },
    request: async (text, url, signal) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        ...(signal ? { signal } : {}),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'agent', stream: true, messages: [{ role: 'user', content: text }] }),
      })
      return await response.text()
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
