import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'image-openai',
  name: 'OpenAI pictures',
  description: 'Paints pictures with OpenAI, or with a server that speaks its image API.',
  docsUrl: 'https://platform.openai.com/docs/guides/image-generation',
  env: [
    {
      ...{ name: 'OPENAI_API_KEY', secret: true, required: true, prompt: 'OpenAI API key' },
      url: 'https://platform.openai.com/api-keys',
    },
  ],
  permissions: {
    net: { value: ['any', 'private'], reason: 'Sends prompts to the server that plugins.entries.image-openai.config.base_url names.' },
  },
  images: {
    openai: {
      label: 'OpenAI',
      env: ['OPENAI_API_KEY'],
      config,
      entry: () => import('./paint.ts'),
    },
  },
})
