import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'image-gemini',
  name: 'Gemini pictures',
  description: 'Paints pictures with models of Google Gemini.',
  docsUrl: 'https://ai.google.dev/gemini-api/docs/image-generation',
  env: [{ name: 'GEMINI_API_KEY', secret: true, required: true, prompt: 'Gemini API key', url: 'https://aistudio.google.com/apikey' }],
  permissions: {
    net: { value: ['any', 'private'], reason: 'Sends prompts to the server that plugins.entries.image-gemini.config.base_url names.' },
  },
  images: {
    gemini: {
      label: 'Gemini',
      env: ['GEMINI_API_KEY'],
      config,
      entry: () => import('./paint.ts'),
    },
  },
})
