import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const env = [
  {
    name: 'EMAIL_ADDRESS',
    secret: false,
    required: true,
    form: { pattern: '[^@\\s]+@[^@\\s]+', like: 'agent@example.org' },
    prompt: 'E-mail address of the agent',
  },
  { name: 'EMAIL_PASSWORD', secret: true, required: true, prompt: 'Password of the mailbox, or app password' },
  { name: 'EMAIL_IMAP_HOST', secret: false, required: true, prompt: 'Host name of the IMAP server' },
  { name: 'EMAIL_IMAP_PORT', secret: false, required: false, value: 'port', prompt: 'Port of the IMAP server (993)' },
  { name: 'EMAIL_SMTP_HOST', secret: false, required: true, prompt: 'Host name of the SMTP server' },
  { name: 'EMAIL_SMTP_PORT', secret: false, required: false, value: 'port', prompt: 'Port of the SMTP server (587)' },
  { name: 'EMAIL_POLL_INTERVAL', secret: false, required: false, value: 'number', prompt: 'Seconds between looks for mail (15)' },
  { name: 'EMAIL_MAILBOXES', secret: false, required: false, prompt: 'Mailboxes that are read, separated by commas (INBOX)' },
  { name: 'EMAIL_ALLOWED_USERS', secret: false, required: false, prompt: 'Addresses that may talk to the agent, separated by commas' },
  { name: 'EMAIL_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Let everybody talk to the agent (true or false)' },
  { name: 'EMAIL_HOME_ADDRESS', secret: false, required: false, prompt: 'Address to which the agent reports unasked' },
]

export default definePlugin({
  id: 'platform-email',
  name: 'E-mail',
  description: 'Lets people talk to the agent by e-mail.',
  platforms: {
    email: {
      label: 'E-mail',
      door: 'messaging',
      reach: 'people',
      unknownSenders: 'ignore',
      capabilities: { findSent: true, fetchMedia: true, media: true },
      limits: { maxLength: 50_000, sendsAtOnce: 1, captionLength: 50_000, mediaBytes: 15_728_640 },
      markup: 'plain',
      homeEnv: 'EMAIL_HOME_ADDRESS',
      connectTimeoutMs: 60_000,
      promptHint:
        'Answers go out as plain-text e-mail: whole sentences, no Markdown, no tables. Nobody sees an answer being written, so say everything in one message. A message that begins a new thread starts with its subject in brackets.',
      env: env.map(({ name }) => name),
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env,
  permissions: {
    net: { value: ['any', 'private'], reason: 'It connects to the servers that EMAIL_IMAP_HOST and EMAIL_SMTP_HOST name.' },
  },
})
