import { definePlugin } from '@agent/plugin-sdk'
import { config } from './door/config.ts'

export default definePlugin({
  id: 'platform-api-server',
  name: 'API server',
  description: 'Lets OpenAI-compatible clients use the agent as a model over HTTP.',
  platforms: {
    'api-server': {
      label: 'API server',
      door: 'request',
      reach: 'owner',
      capabilities: {},
      limits: {},
      markup: 'markdown',
      reception: 'on-demand',
      env: [
        'API_SERVER_ENABLED',
        'API_SERVER_HOST',
        'API_SERVER_PORT',
        'API_SERVER_KEY',
        'API_SERVER_CORS_ORIGINS',
        'API_SERVER_MODEL_NAME',
      ],
      onByDefault: true,
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env: [
    { name: 'API_SERVER_ENABLED', secret: false, required: false, value: 'switch', prompt: 'Serve the API (true or false)' },
    { name: 'API_SERVER_HOST', secret: false, required: false, prompt: 'Address to listen on' },
    { name: 'API_SERVER_PORT', secret: false, required: false, value: 'listen-port', prompt: 'Port to listen on' },
    { name: 'API_SERVER_KEY', secret: true, required: false, prompt: 'Key that clients must present' },
    { name: 'API_SERVER_CORS_ORIGINS', secret: false, required: false, prompt: 'Web origins that may call, separated by commas' },
    { name: 'API_SERVER_MODEL_NAME', secret: false, required: false, prompt: 'Model name that clients see' },
  ],
  permissions: {
    net: { value: 'none', reason: 'It answers requests and makes none.' },
    host: { value: ['turns.run', 'http.listen'], reason: 'Each chat request is a turn, and clients connect to its own port.' },
  },
})
