import { defineSection } from '../define-section.ts'

export const limits = defineSection('Limits', {
  'limit.max-iterations': { since: 1, hash: 'bb51fb95c9e6', text: 'A turn ends after 90 iterations by default.' },
  'limit.api-timeout': { since: 1, hash: '9767f61b4557', text: 'A model call ends after 900 seconds by default.' },
  'limit.mcp-timeout': { since: 4, hash: '4909a7478405', text: "An MCP call ends after 300 seconds, or after the server's own timeout." },
  'limit.sms-chunk': { since: 2, hash: '70f0dfd5e8a1', text: 'SMS text is cut into parts of at most 1600 characters, at sensible places.' },
  'limit.enterprise-dedup': {
    since: 2,
    hash: 'a22f2e9e1db0',
    text: "The enterprise chat's messages are recognised as repeated for five minutes.",
  },
  'limit.checkpoints.once': {
    since: 4,
    hash: 'ada6b2ad2cfc',
    text: 'A turn makes one checkpoint, before it first writes or patches a file.',
  },
  'limit.checkpoints.skipped': {
    since: 4,
    hash: 'ada6b2ad2cfc',
    text: 'The root folder, the home folder and folders with more than 50,000 files get none.',
  },
  'limit.checkpoints.pruned': { since: 4, hash: 'ada6b2ad2cfc', text: 'Only checkpoints.max_snapshots of them stay.' },
  'limit.python': { since: 6, hash: '60c1c15d5fc8', text: "The desktop's runtime wants Python 3.11 to 3.13." },
})
