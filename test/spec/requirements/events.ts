import { defineSection } from '../define-section.ts'

export const events = defineSection('Events', {
  'event.api.sse': { since: 1, hash: '5f348b283ee3', text: 'The HTTP API streams completions as server-sent events.' },
  'event.tool.start': { since: 1, hash: '3ad4b9c78aa4', text: 'tool.start carries all arguments.' },
  'event.tool.progress': { since: 1, hash: 'f3a05f0aac6b', text: 'tool.progress leads with a preview and may come without a lasting id.' },
  'event.tool.complete': { since: 1, hash: 'eb536c177f53', text: 'tool.complete carries the result in parsed form.' },
  'event.message.complete': { since: 1, hash: '649cf50f4f62', text: 'message.complete carries the final text.' },
  'event.message.provider-failure': {
    since: 1,
    hash: '649cf50f4f62',
    text: "A provider's failure (a 4xx, retries used up, an error of provider or gateway) shows up as an error in the conversation.",
  },
  'event.error.provider': {
    since: 1,
    hash: 'cf63135beac9',
    text: "Error events carry the provider's error, and also that none is configured.",
  },
  'event.subagent.start': { since: 4, hash: 'c8449dda05ec', text: 'subagent.start feeds the tree of running children.' },
  'event.subagent.spawn-requested': { since: 4, hash: '895354ce0e2a', text: 'spawn_requested feeds the same tree.' },
  'event.desktop.reconcile': {
    since: 6,
    hash: '76067b5601f4',
    text: 'The desktop app joins tool rows by id, or where query, context or preview overlap.',
  },
  'event.home-automation.closed': {
    since: 2,
    hash: '9af6e43dbe9f',
    text: 'state_changed is dropped as long as no watch list is set and watch_all is off.',
  },
  'event.home-automation.warning': { since: 2, hash: '9af6e43dbe9f', text: 'Connecting without any filter logs a warning.' },
  'event.bootstrap': {
    since: 6,
    hash: '26708263b9c1',
    text: "The desktop's set-up reports its stages (an empty list of them first), each stage's state, log lines, and its end: complete, failed or unsupported-platform.",
  },
  'event.inbound.sms': { since: 2, hash: 'f54065dd70f8', text: 'The SMS adapter takes form-encoded POSTs.' },
  'event.inbound.sms-echo': { since: 2, hash: 'f54065dd70f8', text: 'It does not answer its own messages.' },
  'event.inbound.webhook': { since: 2, hash: 'f54065dd70f8', text: 'There is a platform for webhooks of any kind.' },
  'event.outbound.sources': {
    since: 4,
    hash: '4f325915499f',
    text: 'Messages go out by cron jobs, by a kanban notifier and by agent send.',
  },
  'event.outbound.no-tool': { since: 1, hash: '4f325915499f', text: 'No tool lets the model send a message by itself.' },
})
