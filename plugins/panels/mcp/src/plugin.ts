import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const line = z.string().min(1).max(500)
const pairs = z.array(line).max(50).default([])
const variables = pairs.meta({
  title: 'Variables',
  description: 'NAME=VALUE. What is called a token, key, secret or password is kept in .env.',
})
const offerWish = {
  words: z.array(line).max(50).default([]).meta({ title: 'Words behind its command', description: 'Where it takes some.' }),
  variables,
}

const pastedAddress = z.string().min(1).max(8000).meta({
  title: 'Address that the browser ended at',
  description: 'Of the page that your browser cannot show, where it is on another machine than the agent: all of it, from http:// on.',
})

const loginField = { key: 'login', label: 'Login', as: 'badge', tones: { good: 'ok', waits: 'warn', ended: 'bad' } } as const
const states = { on: 'ok', wrong: 'bad' } as const

export default definePlugin({
  id: 'panel-mcp',
  name: 'MCP servers',
  description: 'Shows MCP servers in the dashboard: what they are, whether they answer, how one is added, and logs in to them.',
  panels: {
    mcp: {
      label: 'MCP servers',
      group: 'set-up',
      methods: {
        servers: {},
        server: {},
        try: { changes: true },
        turnOn: { changes: true },
        turnOff: { changes: true },
        remove: { changes: true },
        logIn: { changes: true },
        finish: { changes: true, input: z.strictObject({ address: pastedAddress }) },
        giveUp: { changes: true },
        forget: { changes: true },
        catalog: {},
        offer: {},
        install: { changes: true, input: z.strictObject(offerWish) },
        add: {
          changes: true,
          input: z.strictObject({
            name: z.string().min(1).max(32).meta({ title: 'Name', description: 'Letters, digits, hyphens and underscores.' }),
            command: line.optional().meta({ title: 'Command', description: 'A program of this machine; or an address, below.' }),
            words: offerWish.words,
            url: line.optional().meta({ title: 'Address', description: 'https://… of a server elsewhere.' }),
            headers: pairs.meta({ title: 'Headers', description: 'NAME=VALUE, for an address.' }),
            variables,
            trust: z.enum(['untrusted', 'hints', 'full']).default('untrusted').meta({
              title: 'Trust',
              description: 'untrusted asks about each tool, hints about those that change something, full about none.',
            }),
          }),
        },
      },
      pages: [
        {
          id: 'all',
          title: 'MCP servers',
          about: 'Programs and services that bring tools to the agent. They start when somebody needs them.',
          blocks: [
            {
              type: 'table',
              from: 'servers',
              key: 'name',
              opens: 'server',
              empty: 'There is no MCP server yet. One of the catalog is added by its name, any other below.',
              fields: [
                { key: 'name', label: 'Server' },
                { key: 'state', label: 'State', as: 'badge', tones: states },
                { key: 'what', label: 'What it runs, or where it is', as: 'code' },
                { key: 'trust', label: 'Trust' },
                loginField,
              ],
              actions: [
                { method: 'try', label: 'Try', when: 'isOn' },
                { method: 'turnOn', label: 'Turn on', when: 'isOff' },
                { method: 'turnOff', label: 'Turn off', when: 'isOn' },
              ],
            },
            {
              type: 'table',
              title: 'Catalog',
              from: 'catalog',
              key: 'name',
              opens: 'offer',
              fields: [
                { key: 'name', label: 'Server' },
                { key: 'state', label: 'State', as: 'badge', tones: { added: 'ok' } },
                { key: 'about', label: 'What it does' },
                { key: 'needs', label: 'What it needs' },
              ],
            },
            { type: 'form', title: 'Another server', submit: 'add', label: 'Add the server' },
          ],
        },
        {
          id: 'server',
          title: 'MCP server',
          blocks: [
            {
              type: 'detail',
              from: 'server',
              fields: [
                { key: 'name', label: 'Name' },
                { key: 'state', label: 'State', as: 'badge', tones: states },
                { key: 'problem', label: 'What is wrong' },
                { key: 'what', label: 'What it runs, or where it is', as: 'code' },
                { key: 'variables', label: 'Variables', as: 'code' },
                { key: 'headers', label: 'Headers', as: 'code' },
                { key: 'trust', label: 'Trust' },
                { key: 'tried', label: 'When it was tried' },
              ],
              actions: [
                { method: 'try', label: 'Try', when: 'isOn' },
                { method: 'turnOn', label: 'Turn on', when: 'isOff' },
                { method: 'turnOff', label: 'Turn off', when: 'isOn' },
                { method: 'remove', label: 'Remove', confirm: 'It is taken out of the settings, and its login is forgotten.' },
              ],
            },
            {
              type: 'detail',
              title: 'Login',
              from: 'server',
              fields: [
                loginField,
                { key: 'loginDetail', label: 'About it' },
                { key: 'loginPage', label: 'Open the page to log in', as: 'link' },
                { key: 'loginUntil', label: 'It ends by itself', as: 'time' },
                { key: 'loginSaid', label: 'How the last one ended' },
              ],
              actions: [
                { method: 'logIn', label: 'Log in', when: 'canLogIn' },
                { method: 'finish', label: 'Finish the login', when: 'waits' },
                { method: 'giveUp', label: 'Give up', when: 'waits' },
                {
                  method: 'forget',
                  label: 'Forget the login',
                  when: 'canForget',
                  confirm: 'The agent cannot use the server until you log in again.',
                },
              ],
            },
          ],
        },
        {
          id: 'offer',
          title: 'Server of the catalog',
          about: 'It is added to the settings, and starts when the agent needs it.',
          blocks: [
            {
              type: 'detail',
              from: 'offer',
              fields: [
                { key: 'name', label: 'Name' },
                { key: 'state', label: 'State', as: 'badge', tones: { added: 'ok' } },
                { key: 'about', label: 'What it does' },
                { key: 'needs', label: 'What it needs' },
                { key: 'docs', label: 'More about it', as: 'code' },
              ],
            },
            { type: 'form', title: 'Add it', submit: 'install', label: 'Add the server' },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: {
    host: {
      value: ['mcp'],
      reason: 'Lists, tries, adds and removes MCP servers, which run programs on this machine, and logs in to them, when you say so.',
    },
  },
})
