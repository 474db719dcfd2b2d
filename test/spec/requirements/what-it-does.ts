import { defineSection } from '../define-section.ts'

export const whatItDoes = defineSection('What the service does', {
  'purpose.terminal.repl': { since: 1, hash: '54f15b069c22', text: 'People can talk to the agent in a line-based terminal client.' },
  'purpose.terminal.tui': {
    since: 6,
    hash: '54f15b069c22',
    text: 'People can talk to the agent in a full-screen terminal client as well.',
  },
  'purpose.messaging': {
    since: 2,
    hash: '96d939de43dd',
    text: 'Long-running adapters carry the same agent to about twenty messaging platforms: chat, mail, SMS, enterprise chat, a private messenger, home automation, a generic webhook receiver and the HTTP API.',
  },
  'purpose.api.chat': {
    since: 1,
    hash: '5ab8d8dc0442',
    text: 'A platform adapter serves an interface in the chat-completions style, so that other chat frontends can use the agent as their model.',
  },
  'purpose.api.responses': { since: 2, hash: '5ab8d8dc0442', text: 'The same adapter serves an interface in the responses style.' },
  'purpose.dashboard': {
    since: 5,
    hash: '554a0405255a',
    text: 'A web dashboard (REST, WebSocket and a browser page) covers configuration, environment, messaging set-up, MCP servers, skills, cron, profiles, usage figures and a chat terminal.',
  },
  'purpose.desktop': {
    since: 6,
    hash: '6bbecbdf6cbe',
    text: 'A desktop app works on a local backend, which a staged installer sets up at the first launch, or on a remote dashboard.',
  },
  'purpose.providers.selection': {
    since: 1,
    hash: '8c7152912764',
    text: 'Which inference provider answers is chosen by a flag, by an environment variable or by configuration.',
  },
  'purpose.providers.kinds': {
    since: 4,
    hash: '8c7152912764',
    text: 'Providers exist for API keys, for OAuth, for the login of an external CLI, and as two ACP bridges.',
  },
  'purpose.auxiliary-models': {
    since: 4,
    hash: '4b3f8612e734',
    text: 'Side tasks such as compression and vision can each use a model of their own.',
  },
  'purpose.fallback': { since: 4, hash: '8dca91bbb739', text: 'When the chosen provider fails, a configured chain of others takes over.' },
  'purpose.toolsets': {
    since: 2,
    hash: '60c793513661',
    text: 'Tools are grouped: one toolset for each messaging platform, and sets composed of others.',
  },
  'purpose.skills': { since: 4, hash: 'f0c942e7f7dc', text: 'Instruction packs come with the program, as optional extras, or from a hub.' },
  'purpose.mcp': { since: 4, hash: '70a24cbc998d', text: 'The agent can call the tools of configured MCP servers.' },
  'purpose.cron': { since: 4, hash: '8dba1a735203', text: 'The agent can be run on a schedule, with its answer delivered to a platform.' },
  'purpose.blueprints': { since: 4, hash: 'be31095078dd', text: 'Scheduled jobs can be made from templates with parameters.' },
  'purpose.delegation': { since: 4, hash: 'be4a0a0eb741', text: 'The agent can hand a task to a child agent.' },
  'purpose.checkpoints': { since: 4, hash: 'f66020823d3b', text: 'Files that the agent changes are snapshotted and can be rolled back.' },
  'purpose.sessions': { since: 1, hash: '27fa765cafe2', text: 'Conversations are stored and carry titles.' },
  'purpose.profiles': {
    since: 1,
    hash: 'bcd75ca56ca1',
    text: 'A profile is a home of its own, with its own configuration, skills, memory and state.',
  },
  'purpose.web': {
    since: 4,
    hash: 'e3d7c9e62ddb',
    text: 'Web search and extraction run on a selectable backend; just one backend can also crawl.',
  },
  'purpose.speech': {
    since: 6,
    hash: '7d3abe93a1ed',
    text: 'Speech becomes text locally or by a remote service, and text becomes speech.',
  },
  'purpose.voice': { since: 6, hash: '4640231831b0', text: 'There is a mode in which one talks with the agent by voice.' },
  'purpose.memory': {
    since: 4,
    hash: 'c3acccd2dab5',
    text: 'The agent has a memory store, whose writes can be made to wait for approval.',
  },
})
