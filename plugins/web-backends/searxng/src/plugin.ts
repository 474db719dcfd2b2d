import { definePlugin } from '@agent/plugin-sdk'

export default definePlugin({
  id: 'web-backend-searxng',
  name: 'SearXNG',
  description: 'Searches the web with a SearXNG server of your own.',
  docsUrl: 'https://docs.searxng.org',
  env: [{ name: 'SEARXNG_URL', secret: false, required: true, value: 'address', prompt: 'Address of your SearXNG server' }],
  permissions: { net: { value: ['any', 'private'], reason: 'Sends searches to the server that SEARXNG_URL names.' } },
  webBackends: {
    searxng: {
      label: 'SearXNG',
      capabilities: { search: true },
      env: ['SEARXNG_URL'],
      entry: () => import('./search.ts'),
    },
  },
})
