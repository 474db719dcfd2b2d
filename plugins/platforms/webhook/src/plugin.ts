import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'platform-webhook',
  name: 'Webhook',
  description: 'Lets programs talk to the agent: signed HTTP requests become messages, answers go where the route says.',
  platforms: {
    webhook: {
      label: 'Webhook',
      door: 'messaging',
      reach: 'people',
      unknownSenders: 'ignore',
      gate: 'source',
      capabilities: {},
      limits: { maxLength: 20_000 },
      markup: 'markdown',
      reception: 'on-demand',
      promptHint: 'Nobody waits for this answer on a screen: say what matters in a few sentences and ask nothing back.',
      // Its text is what strangers wrote into an issue or a form: neither files nor programs are for it.
      toolsets: ['clarify', 'web'],
      env: ['WEBHOOK_SECRET'],
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env: [{ name: 'WEBHOOK_SECRET', secret: true, required: false, prompt: 'Secret of the routes without a secret' }],
  permissions: {
    net: { value: 'none', reason: 'It answers requests and makes none.' },
  },
})
