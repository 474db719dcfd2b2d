// @module-tag process
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { runAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

/** What is typed, what is said, and how it ends. */
const refused: readonly [words: readonly string[], code: number, note: string][] = [
  [['chta'], 2, 'There is no command or profile "chta". Try: agent chat'],
  [['-p', 'nobody', ...['chat', '-z', 'hello']], 1, 'There is no profile named "nobody".'],
  [
    ['send', 'local', 'use', 'mkdir', '-p', 'foo'],
    2,
    'The profile stands before the words of a command; words that look like an option stand behind --. Try: agent -p NAME send',
  ],
  [['-p'], 2, '-p needs the name of a profile. Try: agent profile list'],
  [['chat', '-z', ' \n'], 2, 'The prompt is empty. Try: agent chat -z "hello"'],
  [['chat', '-z', '-'], 2, 'The prompt is empty. Try: agent chat -z "hello"'],
  [['chat', '-z'], 2, "Option '-z <prompt>' argument missing. Try: agent chat --help"],
  [['chat', '--nope'], 2, "Unknown option '--nope'. Try: agent chat --help"],
  [['chat', '-z', 'hello', '--resume', 'nothing'], 1, 'There is no session "nothing". agent sessions list shows them.'],
  [['chat', '-z', 'hello', '-c', 'nothing'], 1, 'There is no session "nothing". agent sessions list shows them.'],
  [['sessions', 'delete', 'nothing'], 1, 'There is no session "nothing". agent sessions list shows them.'],
  [
    ['gateway', 'setup'],
    2,
    'Without a terminal the platform has to be named; --json lists them. Try: agent gateway setup PLATFORM --set NAME=VALUE',
  ],
  [['chat', '--skills', 'no-such'], 1, 'There is no skill "no-such". agent skills list shows them.'],
  [['plugins', 'info', 'fils'], 1, 'There is no plugin "fils". Did you mean "files"? agent plugins list shows them.'],
  [
    ['config', 'get', 'model.defalt'],
    1,
    'There is no configuration key "model.defalt". Did you mean "model.default"? agent config get lists them.',
  ],
]

test.each(refused)('agent %j ends with %i and one sentence', async (words, code, note) => {
  using home = openTestHome()
  expect(await runHere(home, words)).toEqual({ code, signal: null, out: '', note: `agent: ${note}\n` })
  expect(readdirSync(home.work)).toEqual([])
  const { out } = await runHere(home, ['sessions', 'list', '--json'])
  expect(JSON.parse(out)).toEqual({ sessions: [] })
})

const notYet: readonly [readonly string[], string][] = [[['--tui'], 'The full-screen interface (--tui)']]

test.each(notYet)('chat %j is refused by name', async (words, feature) => {
  using home = openTestHome()
  expect(await runHere(home, ['chat', ...words])).toEqual({
    code: 2,
    signal: null,
    out: '',
    note: `agent: ${feature} is not part of this version yet.\n`,
  })
})

proves(['cli.chat.cli', 'cli.chat.safe-mode'], 'the flags that are there change nothing of a plain answer', async () => {
  using home = openTestHome()
  const run = await runAgent(home, ['chat', '--cli', '--safe-mode', '--ignore-rules', '-z', 'stream 2 tokens'])
  expect(run).toEqual({ code: 0, signal: null, out: 'offline-1 offline-2\n', note: '' })
})
