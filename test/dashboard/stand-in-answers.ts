import type { Answers, Route } from '../../host/web/src/net/api.ts'
import { spoil } from './hostile.ts'
import { bundledPanels } from './stand-in-panels.ts'

type Platform = Answers['GET messaging/platforms']['platforms'][number]
type Variable = Answers['GET env']['variables'][number]

const variable = (name: string, more: Partial<Variable> = {}): Variable => ({
  ...{ name, prompt: `Value of ${name}`, secret: true, required: true, set: false, shadowed: false, usedBy: ['toy'] },
  ...more,
})

const platform: Platform = {
  ...{ platform: 'toy', name: 'Toy', description: 'A platform that is made of its manifest.', plugin: 'toy', bundled: false },
  ...{ state: 'stopped', needsAttention: false, configured: true, guidance: 'Who writes **first** gets a code.', extra: {} },
  env: [variable('TOY_TOKEN', { set: true, source: 'file' }), variable('TOY_ROOM', { secret: false, required: false })],
  schema: { type: 'object', properties: { port: { type: 'integer', default: 7000 }, mode: { enum: ['first', 'all'] } } },
}

type Panel = Answers['GET panels']['panels'][number]

const panel: Panel = {
  ...{ id: 'toy', name: 'Toy list', plugin: 'panel-toy', group: 'plugins' },
  inputs: {
    list: { type: 'object', properties: { find: { type: 'string', default: '' }, kind: { enum: ['food', 'drink'] } } },
    add: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
    rename: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  },
  pages: [
    {
      ...{ id: 'list', title: 'Toy list', about: 'What is on it.' },
      blocks: [
        { type: 'form', submit: 'add', label: 'Put it on the list' },
        {
          ...{ type: 'table', from: 'list', key: 'thing', opens: 'thing', empty: 'Nothing is on it.' },
          fields: [
            { key: 'thing', label: 'Thing', as: 'text' },
            { key: 'at', label: 'Since', as: 'time' },
            { key: 'size', label: 'Size', as: 'bytes' },
          ],
          actions: [
            { method: 'remove', label: 'Bought', confirm: 'Take it off the list?' },
            { method: 'drink', label: 'Drink', when: 'isOpen' },
          ],
        },
        { type: 'chart', from: 'chart', label: 'Things a day', unit: 'pieces' },
        { type: 'log', title: 'What happened', from: 'log', empty: 'Nothing happened.' },
        { type: 'calendar', from: 'calendar' },
        { type: 'markdown', text: 'Made by **hand**.' },
      ],
    },
    {
      ...{ id: 'thing', title: 'One thing' },
      blocks: [
        {
          ...{ type: 'detail', from: 'one' },
          fields: [
            { key: 'thing', label: 'Thing', as: 'code' },
            { key: 'shop', label: 'Sold at', as: 'link' },
            { key: 'trap', label: 'Never sold at', as: 'link' },
          ],
          actions: [{ method: 'rename', label: 'Rename', confirm: 'Others see the name, too.' }],
        },
      ],
    },
  ],
}

/** What the methods of the panel answer. */
export const panelAnswers: Readonly<Record<string, object>> = {
  list: { rows: [{ thing: 'milk <b>', at: 1_700_000_000_000, size: 2048 }] },
  chart: {
    points: [
      { name: 'Monday', value: 3 },
      { name: 'Tuesday', value: 5 },
    ],
  },
  log: { lines: [{ at: 1_700_000_000_000, level: 'warn', text: 'sour' }] },
  calendar: { events: [{ at: 1_700_000_000_000, title: 'Buy milk' }] },
  one: { item: { thing: 'milk <b>', shop: 'https://dairy.example@shop.example/milk', trap: 'javascript:alert(1)' } },
  rename: { said: 'It has another name.' },
  add: { said: 'It is on the list.' },
  remove: { said: 'It is off the list.' },
}

const row = { key: 'offline', calls: 3, input: 900, output: 120, cached: 0 }
const session = {
  ...{ id: 'ses_1', title: 'Mend the build', source: 'cli', model: 'offline', preview: 'How?' },
  ...{ createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000, messages: 4 },
}
const titles = [
  'Why the tests of the parser fail on Tuesdays, and what a very long title does here',
  'Groceries',
  'Über die Brücke',
  'Plan a trip',
]
const plugin = {
  ...{ id: 'toy', name: 'Toy', description: 'Adds a platform.', version: '0.1.0', bundled: false, enabled: true, state: 'active' },
  ...{ contributes: [], permissions: ['network'] },
}
const offline = { id: 'offline', name: 'Offline', description: 'Needs no network.', defaultModel: 'offline' }
const changed = { said: ['It is written.'], live: true }
const tried = { ok: true, detail: 'It answered: yes.' }

const codeStep: Answers['GET providers/oauth/{id}'] = {
  ...{ type: 'code', address: 'https://login.example/device', code: 'WDJB-MJHT', endsAt: 1_700_000_600_000 },
  fullAddress: 'https://login.example/device?code=WDJB-MJHT',
}
const login = { inherited: false, kinds: ['device-code'] } as const
const logins: Answers['GET providers/oauth']['providers'] = [
  { ...login, id: 'code', name: 'By a code', state: 'none', step: codeStep },
  { ...login, id: 'kept', name: 'Kept', state: 'good', detail: 'Good.', expiresAt: 1_700_000_600_000 },
  { ...login, id: 'over', name: 'Over', state: 'ended', detail: 'It was withdrawn.', step: { type: 'failed', code: 'X', message: 'No.' } },
  {
    ...login,
    id: 'theirs',
    name: 'Theirs',
    state: 'none',
    kinds: ['cli'],
    needs: 'Theirs has no login on this machine; log in there first.',
  },
]

const unknown: Answers['GET gateway/unknown']['sends'][number] = {
  ...{ seq: 17, platform: 'toy', conversation: '-100200300', name: '#garden', text: 'The roses need **water**.', at: 1_700_000_000_000 },
  problem: 'Nobody can tell whether Toy delivered the message: cut.',
}

/** Typed by the contract, so that it cannot differ from what the server is checked against. */
const all: { readonly [R in Route]?: Answers[R] } = {
  'GET model/info': { provider: 'offline', model: 'offline', offline: true },
  'GET model/options': { providers: [{ ...offline, ready: true, current: false, env: [variable('OFFLINE_KEY')], models: ['offline'] }] },
  'GET providers/oauth': { providers: logins },
  'GET providers/oauth/{id}': codeStep,
  'GET model/auxiliary': {
    tasks: [
      { task: 'compression', pinned: false, provider: 'offline', model: 'offline' },
      { task: 'vision', pinned: true, provider: 'custom', model: 'sees', baseUrl: 'https://models.example' },
    ],
  },
  'GET messaging/platforms': { platforms: [platform] },
  'GET env': { file: '/home/me/.agent/.env', variables: [variable('TOY_TOKEN', { set: true, source: 'file' })] },
  'GET config': {
    ...{ values: {}, defaults: {}, shadowed: { 'model.default': 'AGENT_MODEL' } },
    schema: { type: 'object', properties: { display: { type: 'object', properties: { theme_mode: { enum: ['light', 'dark'] } } } } },
  },
  'GET config/raw': { text: 'display: {}\n', revision: '1', marks: [] },
  'GET sessions': {
    sessions: [
      session,
      ...titles.map((title, at) => ({ ...session, id: `ses_${at + 2}`, title, updatedAt: session.updatedAt - at * 86_400_000 })),
    ],
    more: true,
  },
  'GET sessions/search': { sessions: [], more: false },
  'GET analytics/usage': {
    days: Array.from({ length: 14 }, (_, at) => ({
      ...row,
      key: `2026-11-${String(at + 10)}`,
      calls: 3 + ((at * 7) % 11),
      input: 900 * (1 + ((at * 5) % 9)),
      cost: at / 10,
    })),
    ...{
      models: [
        row,
        { ...row, key: 'a-model-with-quite-a-long-name-2026-11-24', calls: 1204, input: 12_345_678, output: 2_345_678, cost: 41.2 },
      ],
      sources: [row],
    },
    budgets: [{ name: 'Everybody, a day', used: 4, limit: 5, unit: 'dollars' }],
  },
  'GET pairing': {
    pending: [{ platform: 'toy', user: 'u1', name: 'Ada', since: 1_700_000_000_000 }],
    allowed: [{ platform: 'toy', user: 'u2', name: 'Grace', role: 'admin' }],
  },
  'GET plugins': { plugins: [plugin] },
  'GET plugins/search': { packages: [{ name: 'agent-plugin-dice', version: '1.0.0', description: 'Rolls dice.' }] },
  'GET gateway/unknown': { sends: [unknown, { ...unknown, seq: 18, text: '' }] },
  'GET panels': { panels: [panel, ...bundledPanels] },
  'GET agent/update': { version: '0.1.0', installed: '0.1.0', backup: 'quick', localChanges: 'stash', mayRestart: false },
  'GET profiles': { profiles: [{ name: 'default', home: '/home/me/.agent', current: true, running: true }] },
  'POST auth/ticket': { ticket: 't' },
  'POST model/test': tried,
}

const status: Answers['GET status'] = {
  ...{ version: '0.1.0', profile: 'default', profiles: ['default', 'work'], authRequired: false, sandbox: 'in a sandbox', theme: 'system' },
  ...{ gateway: { running: true, pid: 4242 }, platforms: [{ ...platform, state: 'retrying', problem: 'It does not answer.' }] },
  queues: { waiting: 1, sending: 0, unknown: 2, platforms: [{ platform: 'gone', waiting: 1, sending: 0, unknown: 2 }] },
}

/** What the stand-in has: everything, nothing yet, only errors, or everything by somebody who means harm. */
export type StandInState = 'full' | 'empty' | 'failing' | 'hostile'

/** Lists without an entry; what is no list is as always. */
function emptied(answer: object): object {
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, Array.isArray(value) ? [] : value]))
}

export function answers(method: string, path: string, state: StandInState = 'full'): object | undefined {
  if (state === 'hostile') return spoil(answers(method, path))
  if (state === 'empty' && method === 'GET') {
    const full = answers(method, path)
    return (
      full &&
      (path === 'status'
        ? { ...status, platforms: [], queues: { waiting: 0, sending: 0, unknown: 0, platforms: [] } }
        : path === 'panels'
          ? full
          : emptied(full))
    )
  }
  if (path === 'status') return status
  const asked = path.replace(/^(providers\/oauth)\/\w+$/, '$1/{id}')
  const found = Object.entries(all).find(([route]) => route === `${method} ${asked}`)?.[1]
  if (found) return found
  if (path.endsWith('/test')) return tried
  return method === 'GET' ? undefined : changed
}
