import type { ManifestInput } from '@agent/plugin-sdk'
import type { TestHome } from './test-home.ts'

/** Puts a provider `mine` with `MINE_API_KEY` and `MINE_BASE_URL` into the home, and switches it on. */
export function addMyProvider(home: TestHome, protocol: 'openai-chat' | 'anthropic-messages' = 'openai-chat', config = ''): void {
  const manifest: ManifestInput = {
    ...{ manifestVersion: 1, id: 'provider-mine', name: 'Mine', description: 'A server of my own.', version: '1.0.0', license: 'MIT' },
    api: { provider: 1 },
    contributes: {
      providers: [{ id: 'mine', label: 'Mine', protocol, auth: 'api-key', keyEnv: ['MINE_API_KEY'], baseUrlEnv: 'MINE_BASE_URL' }],
    },
    env: [
      { name: 'MINE_API_KEY', secret: true, required: false, prompt: 'Key' },
      { name: 'MINE_BASE_URL', secret: false, required: false, prompt: 'Address' },
    ],
    permissions: { net: { value: 'any', reason: 'It asks the server.' } },
  }
  home.write('plugins/local/provider-mine/agent.plugin.json', JSON.stringify(manifest))
  home.write('config.yaml', `plugins: { entries: { provider-mine: { enabled: true } } }\n${config}`)
}
