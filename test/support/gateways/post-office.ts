import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestInput } from '@agent/plugin-sdk'
import type { TestHome } from '../test-home.ts'

/** What was sent by the post office. */
export interface Posted {
  readonly account: string
  readonly conversation: string
  readonly text: string
  readonly media: readonly { readonly kind: string; readonly mime: string; readonly name: string; readonly content: string }[]
}

interface KnownConversation {
  readonly id: string
  readonly kind: string
  readonly name?: string
  /** What somebody writes there. */
  readonly text?: string
  /** Where the answer goes instead. */
  readonly deliver?: string
  readonly verbatim?: true
}

/**
 * A messaging platform without a network, as a plugin of the home: what is sent stands in a file. It refuses texts that begin with
 * `refuse`, loses the receipt of those that begin with `lose`, never answers those that begin with `hang`, and lets in a token
 * that begins with `right`: each file of tests has another one, since a machine lets one gateway use a token.
 */
export interface PostOffice {
  posted(): readonly Posted[]
  /** The conversations that it lists; people write in those with a text once it is connected. */
  know(conversations: readonly KnownConversation[]): void
}

const manifest: ManifestInput = {
  ...{ manifestVersion: 1, id: 'platform-post', name: 'Post', description: 'Puts letters into a file.', version: '1.0.0' },
  ...{ license: 'MIT', docsUrl: 'https://post.test/guide', api: { platform: 1 } },
  contributes: {
    platforms: [
      {
        ...{ id: 'post', entry: 'dist/platform.js', label: 'Post', door: 'messaging', reach: 'people', reception: 'on-demand' },
        capabilities: { media: true, listConversations: true },
        limits: { maxLength: 100, captionLength: 50 },
        markup: 'markdown',
        configSchema: { type: 'object', properties: { counters: { type: 'integer' } }, additionalProperties: false },
        env: ['POST_TOKEN', 'POST_BRANCH', 'POST_ALLOWED_USERS', 'POST_ALLOW_ALL_USERS', 'POST_HOME_CHANNEL'],
        singletonLock: 'POST_TOKEN',
      },
    ],
  },
  env: [
    {
      ...{ name: 'POST_BRANCH', secret: false, required: false, prompt: 'Branch that letters are handed in at' },
      form: { pattern: '[a-z]+', like: 'north' },
    },
    { name: 'POST_TOKEN', secret: true, required: true, prompt: 'Token of the post office', url: 'https://post.test/tokens' },
    {
      ...{ name: 'POST_ALLOWED_USERS', secret: false, required: false, prompt: 'Who may write, separated by commas' },
      form: { pattern: '[a-z]+', like: 'ann' },
    },
    { name: 'POST_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Let everybody write (true or false)' },
    { name: 'POST_HOME_CHANNEL', secret: false, required: false, prompt: 'Where the agent reports unasked' },
  ],
}

export interface PostOfficeOptions {
  /** It does not open without a number of counters. */
  readonly needsCounters?: true
}

export function addPostOffice(home: TestHome, { needsCounters }: PostOfficeOptions = {}): PostOffice {
  const folder = join(home.home, 'plugins', 'local', 'platform-post')
  const [sent, known] = [join(home.folder, 'post.jsonl'), join(home.folder, 'post-known.json')]
  mkdirSync(join(folder, 'dist'), { recursive: true })
  // A plugin of a home runs in a child that may reach what it declares, as far as it is there when the child starts.
  writeFileSync(sent, '')
  writeFileSync(known, '[]')
  const fs = { value: { read: [sent, known], write: [sent] }, reason: 'Puts letters into a file.' }
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify({ ...(needsCounters ? withCounters() : manifest), permissions: { fs } }))
  writeFileSync(join(folder, 'dist', 'platform.js'), `const files = ${JSON.stringify({ sent, known })}\n${program}`)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  return {
    posted: () =>
      (existsSync(sent) ? readFileSync(sent, 'utf8').split('\n').filter(Boolean) : []).map((line) => JSON.parse(line) as Posted),
    know: (conversations) => writeFileSync(known, JSON.stringify(conversations)),
  }
}

function withCounters(): object {
  const [platform] = manifest.contributes?.platforms ?? []
  const counters = { type: 'integer', minimum: 1, description: 'How many counters it has' }
  const configSchema = { type: 'object', properties: { counters }, required: ['counters'], additionalProperties: false }
  return { ...manifest, contributes: { platforms: [{ ...platform, configSchema }] } }
}

/** What switches it on. */
export const postOfficeOn = 'plugins: { entries: { platform-post: { enabled: true } } }\n'

// A plugin of a home is plain JavaScript that imports nothing.
const program = String.raw`
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

const coded = (code, detail) => Object.assign(new Error(code + ': ' + detail), { name: 'AgentError', code, params: { platform: 'Post', detail } })
const known = () => (existsSync(files.known) ? JSON.parse(readFileSync(files.known, 'utf8')) : [])

async function contentOf(context, blob) {
  const pieces = []
  for await (const piece of context.files.read(blob)) pieces.push(piece)
  return Buffer.concat(pieces).toString('latin1')
}

async function send(context, { account, conversation, text, media = [], key }) {
  const error = (code) => ({ code, params: { platform: 'Post', detail: 'as you wished' } })
  if (text.startsWith('refuse')) return { status: 'refused', error: error('SEND_REFUSED') }
  if (text.startsWith('lose')) return { status: 'unknown', error: error('SEND_UNKNOWN') }
  if (text.startsWith('hang')) await new Promise(() => undefined)
  const files_ = []
  for (const { blob, kind } of media) files_.push({ kind, mime: blob.mime, name: blob.name, content: await contentOf(context, blob) })
  appendFileSync(files.sent, JSON.stringify({ account, conversation, text, media: files_ }) + '\n')
  return { status: 'sent', platformId: key }
}

export default {
  async connect(context) {
    if (!(await context.secrets.get('POST_TOKEN'))?.startsWith('right')) throw coded('PLATFORM_AUTH', 'the token is wrong')
    const speakers = known().filter(({ text }) => text)
    const say = () => {
      for (const { text, deliver, verbatim, ...conversation } of speakers) {
        const sender = { id: 'ann', name: 'Ann', isBot: false }
        void context.receive({ id: 'm-' + conversation.id, account: 'branch-1', conversation, sender, text, addressed: true, deliver, verbatim })
      }
    }
    setImmediate(say)
    return {
      send: (message) => send(context, message),
      identity: async () => ({ id: 'branch-1', name: 'Post office ' + (context.config.counters ?? 1) }),
      listConversations: async () => known().map(({ id, kind, name }) => ({ id, kind, name })),
      lastHeard: async () => context.clock.now(),
      close: async () => undefined,
    }
  },
}
`
