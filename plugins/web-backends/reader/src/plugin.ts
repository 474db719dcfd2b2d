import { definePlugin } from '@agent/plugin-sdk'

export default definePlugin({
  id: 'web-backend-reader',
  name: 'Reader',
  description: 'Reads pages of the web on this machine, without an account.',
  webBackends: {
    reader: {
      label: 'Reader',
      capabilities: { extract: true, crawl: true },
      entry: () => import('./reader.ts'),
    },
  },
  permissions: {
    net: { value: 'any', reason: 'Fetches the pages that it is asked for.' },
    host: { value: ['web'], reason: 'Every address goes by the settings for the web before it is connected to.' },
  },
})
