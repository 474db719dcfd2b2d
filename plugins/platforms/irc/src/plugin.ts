import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'platform-irc',
  name: 'IRC',
  description: 'Lets people talk to the agent in IRC channels and queries.',
  platforms: {
    irc: {
      label: 'IRC',
      door: 'messaging',
      reach: 'people',
      capabilities: {},
      limits: { maxLength: 450, unit: 'bytes', maxLines: 10, sendsAtOnce: 1 },
      markup: 'plain',
      promptHint:
        'IRC shows plain text only: no Markdown, no tables, no code fences. Keep answers short; every line is a separate message.',
      env: [
        'IRC_SERVER',
        'IRC_PORT',
        'IRC_NICKNAME',
        'IRC_CHANNEL',
        'IRC_USE_TLS',
        'IRC_SERVER_PASSWORD',
        'IRC_NICKSERV_PASSWORD',
        'IRC_SASL_USERNAME',
        'IRC_SASL_PASSWORD',
        'IRC_CLIENT_CERTIFICATE',
        'IRC_ALLOWED_USERS',
        'IRC_ALLOW_ALL_USERS',
        'IRC_HOME_CHANNEL',
      ],
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env: [
    {
      ...{ name: 'IRC_SERVER', secret: false, required: true, prompt: 'Host name of the IRC server, without a port' },
      form: { pattern: '[^\\s:/]+|[\\da-fA-F:]+', like: 'irc.libera.chat' },
    },
    {
      ...{ name: 'IRC_USE_TLS', secret: false, required: false, value: 'switch' },
      prompt: 'Encrypt the connection with TLS: true or false (nothing typed: true)',
    },
    { name: 'IRC_PORT', secret: false, required: false, value: 'port', prompt: 'Port of the server (6697 with TLS, 6667 without)' },
    { name: 'IRC_NICKNAME', secret: false, required: false, prompt: 'Nick of the agent' },
    { name: 'IRC_CHANNEL', secret: false, required: false, prompt: 'Channels to join, separated by commas' },
    { name: 'IRC_SERVER_PASSWORD', secret: true, required: false, prompt: 'Password of the server, where it has one' },
    { name: 'IRC_NICKSERV_PASSWORD', secret: true, required: false, prompt: 'Password of the nick, where it is registered' },
    { name: 'IRC_SASL_USERNAME', secret: false, required: false, prompt: 'Account of the network for SASL, where it is not the nick' },
    { name: 'IRC_SASL_PASSWORD', secret: true, required: false, prompt: 'Password of that account, where the network offers SASL' },
    {
      name: 'IRC_CLIENT_CERTIFICATE',
      secret: false,
      required: false,
      prompt: 'File with a certificate and its key, by which the network knows the agent',
    },
    { name: 'IRC_ALLOWED_USERS', secret: false, required: false, prompt: 'Nicks that may talk to the agent, separated by commas' },
    { name: 'IRC_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Let everybody talk to the agent (true or false)' },
    { name: 'IRC_HOME_CHANNEL', secret: false, required: false, prompt: 'Where the agent reports unasked' },
  ],
  permissions: {
    net: { value: ['any', 'private'], reason: 'It connects to the server that IRC_SERVER names.' },
  },
})
