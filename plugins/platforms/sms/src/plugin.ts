import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const console = 'https://console.twilio.com'
const env = [
  {
    name: 'TWILIO_ACCOUNT_SID',
    secret: false,
    required: true,
    form: { pattern: 'AC[0-9a-f]{32}', like: 'AC and 32 digits or letters from a to f' },
    prompt: 'Account SID of Twilio (AC…)',
    url: console,
  },
  { name: 'TWILIO_AUTH_TOKEN', secret: true, required: true, prompt: 'Auth token of the account', url: console },
  {
    name: 'TWILIO_PHONE_NUMBER',
    secret: false,
    required: true,
    form: { pattern: '\\+\\d{6,15}', like: '+15551234567' },
    prompt: 'Number of the agent, such as +15551234567',
  },
  {
    name: 'SMS_WEBHOOK_URL',
    secret: false,
    required: false,
    value: 'address',
    prompt: 'Public address that Twilio calls, exactly as it stands there',
  },
  {
    name: 'SMS_INSECURE_NO_SIGNATURE',
    secret: false,
    required: false,
    value: 'switch',
    prompt: 'Believe calls without a signature (true or false)',
  },
  {
    name: 'SMS_ALLOWED_USERS',
    secret: false,
    required: false,
    form: { pattern: '\\+\\d{6,15}|\\*', like: '+15551234567' },
    prompt: 'Numbers that may talk to the agent, separated by commas',
  },
  { name: 'SMS_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Let everybody talk to the agent (true or false)' },
  { name: 'SMS_HOME_CHANNEL', secret: false, required: false, prompt: 'Number to which the agent reports unasked' },
]

export default definePlugin({
  id: 'platform-sms',
  name: 'SMS',
  description: 'Lets people talk to the agent by text message through Twilio.',
  platforms: {
    sms: {
      label: 'SMS',
      door: 'messaging',
      reach: 'people',
      unknownSenders: 'ignore',
      capabilities: { findSent: true, fetchMedia: true },
      limits: { maxLength: 1600, unit: 'utf16', pauseMs: 1000, sendsAtOnce: 1, fetchBytes: 5_242_880 },
      markup: 'plain',
      reception: 'on-demand',
      promptHint:
        'Answers go out as text messages that cost money: keep them to a few sentences of plain text, without Markdown, tables or code.',
      env: env.map(({ name }) => name),
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env,
  permissions: {
    net: { value: 'any', reason: 'It calls Twilio at the address that base_url names.' },
  },
})
