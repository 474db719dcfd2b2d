import type { EventFrame, SessionEvent } from '../../host/src/rpc/protocol.ts'

const session = 'ses_long'
const answer = `The parser reads a **date** as a *day of the week*:

1. \`parseDay\` takes the first word,
2. and \`Tue\` is the first one that is also a word of the text.

| day | fails |
| --- | --- |
| Monday | no |
| Tuesday | yes, because of the zone |

\`\`\`ts
const day = words.find((word) => days.has(word.slice(0, 3)))
\`\`\`

See [the page on dates](https://example.org/dates) for more.`
const diff = '--- a/src/day.ts\n+++ b/src/day.ts\n@@ -1,2 +1,2 @@\n-const day = words[0]\n+const day = words.find(isDay)\n'

const events: readonly SessionEvent[] = [
  { type: 'prompt.accepted', id: 'a', text: 'Why do the tests of the parser fail on Tuesdays?', ordinal: 0 },
  { type: 'message.start', turn: 't1', session, provider: 'offline', model: 'offline' },
  { type: 'reasoning.delta', text: 'I look at the tests first.' },
  { type: 'tool.start', id: 'c1', name: 'terminal', args: { command: 'npm test' }, preview: 'npm test' },
  { type: 'tool.complete', id: 'c1', name: 'terminal', ok: false, text: '1 failed: parses a Tuesday', durationMs: 2310 },
  { type: 'tool.start', id: 'c2', name: 'patch', args: { path: 'src/day.ts' }, preview: 'src/day.ts' },
  { type: 'tool.complete', id: 'c2', name: 'patch', ok: true, text: diff, durationMs: 12 },
  { type: 'message.delta', text: answer },
  { type: 'message.complete', text: answer, status: 'complete', stop: 'stop' },
  { type: 'prompt.accepted', id: 'b', text: 'Push it.', ordinal: 1 },
  { type: 'message.start', turn: 't2', session, provider: 'offline', model: 'offline' },
  {
    ...{ type: 'approval.request', id: 'q1', tool: 'terminal', subject: 'git push origin main', choices: ['once', 'deny'] },
    reason: 'It sends your work to another machine.',
  },
]

/** A conversation with everything that one can show, which waits for an answer. */
export const longChat = {
  session,
  status: 'waiting',
  title: 'Why the tests of the parser fail on Tuesdays',
  events: events.map((event, index): EventFrame => ({ seq: index + 1, session_id: session, at: 0, event })),
} as const

const pairs = 2_500
const veryLong = 'ses_5000'

/** Five thousand messages, of unequal height. */
export const veryLongChat = {
  session: veryLong,
  status: 'idle',
  title: 'A year of talk',
  events: Array.from({ length: pairs }, (_, at): readonly SessionEvent[] => [
    { type: 'prompt.accepted', id: `p${at}`, text: `question ${at + 1}`, ordinal: at },
    { type: 'message.start', turn: `t${at}`, session: veryLong, provider: 'offline', model: 'offline' },
    { type: 'message.delta', text: `reply ${at + 1}\n\n${answer.slice(0, (at * 37) % answer.length)}` },
    { type: 'message.complete', text: '', status: 'complete', stop: 'stop' },
  ])
    .flat()
    .map((event, index): EventFrame => ({ seq: index + 1, session_id: veryLong, at: 0, event })),
} as const
