import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const dashboard = 'https://developers.facebook.com/apps'
const env = [
  {
    name: 'WHATSAPP_CLOUD_PHONE_NUMBER_ID',
    secret: false,
    required: true,
    prompt: 'Id of the phone number (15 to 17 digits, not the number itself)',
    url: dashboard,
  },
  { name: 'WHATSAPP_CLOUD_ACCESS_TOKEN', secret: true, required: true, prompt: 'Access token of a system user', url: dashboard },
  { name: 'WHATSAPP_CLOUD_APP_SECRET', secret: true, required: false, prompt: 'App secret, which proves calls of Meta', url: dashboard },
  { name: 'WHATSAPP_CLOUD_VERIFY_TOKEN', secret: true, required: false, prompt: 'Any words that you enter at Meta beside the address' },
  { name: 'WHATSAPP_CLOUD_WABA_ID', secret: false, required: false, prompt: 'Id of the business account; calls of others are ignored' },
  { name: 'WHATSAPP_CLOUD_API_VERSION', secret: false, required: false, prompt: 'Version of the Graph API (v24.0)' },
  { name: 'WHATSAPP_CLOUD_ALLOWED_USERS', secret: false, required: false, prompt: 'Numbers that may talk to the agent, digits only' },
  { name: 'WHATSAPP_CLOUD_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Let everybody talk to the agent (true or false)' },
  { name: 'WHATSAPP_CLOUD_HOME_CHANNEL', secret: false, required: false, prompt: 'Number to which the agent reports unasked' },
]

export default definePlugin({
  id: 'platform-whatsapp-cloud',
  name: 'WhatsApp Cloud API',
  description: 'Lets people talk to the agent through the WhatsApp Cloud API.',
  platforms: {
    'whatsapp-cloud': {
      label: 'WhatsApp Cloud',
      door: 'messaging',
      reach: 'people',
      unknownSenders: 'ignore',
      capabilities: { findSent: true, typing: true, react: true, fetchMedia: true, media: true, buttons: true },
      limits: {
        ...{ maxLength: 4096, unit: 'utf16', pauseMs: 300, sendsAtOnce: 1, captionLength: 1024, typingMs: 20_000 },
        ...{ budget: { burst: 80, everyMs: 13 }, conversationBudget: { burst: 45, everyMs: 6000 } },
      },
      markup: 'tree',
      reception: 'on-demand',
      promptHint: 'WhatsApp is read on phones: short paragraphs, lists instead of tables, and links written out.',
      env: env.map(({ name }) => name),
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env,
  permissions: {
    net: { value: 'any', reason: 'It calls the Graph API at the address that base_url names, and fetches files from where that says.' },
  },
})
