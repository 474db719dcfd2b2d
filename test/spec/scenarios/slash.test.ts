// @module-tag process
import { expect } from 'vitest'
import { runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

/** What the line-based client says to these lines, without the banner of a terminal. */
async function talk(home: TestHome, lines: readonly string[]): Promise<readonly string[]> {
  const run = await runHere(home, ['chat', '--cli'], { input: `${lines.join('\n')}\n` })
  expect(run).toMatchObject({ code: 0, note: '' })
  return run.out.trimEnd().split('\n')
}

async function listSessions(home: TestHome): Promise<readonly { readonly title: string | null; readonly preview: string }[]> {
  const { sessions } = JSON.parse((await runHere(home, ['sessions', 'list', '--json'])).out)
  return sessions
}

proves(
  ['purpose.terminal.repl', 'cli.chat.cli', 'purpose.sessions', 'slash.title', 'session.title.slash'],
  'lines are answered one after the other; /title names the session before or after its first message',
  async () => {
    using home = openTestHome()
    expect(await talk(home, ['/title', '/title first talk', 'stream 2 tokens', '/title', '/title better name', 'stream 3 tokens'])).toEqual(
      [
        'This session has no title yet.',
        'This session is called "first talk".',
        'offline-1 offline-2',
        'This session is called "first talk".',
        'This session is called "better name".',
        'offline-1 offline-2 offline-3',
      ],
    )
    expect(await listSessions(home)).toMatchObject([{ title: 'better name' }])
  },
)

proves(['slash.new', 'version.rename.new-reset'], '/new and /reset both begin another session', async () => {
  for (const word of ['/new', '/reset']) {
    using home = openTestHome()
    const said = await talk(home, ['stream 1 tokens', word, 'stream 2 tokens'])
    expect(said[1]).toMatch(/new session/i)
    expect((await listSessions(home)).map(({ preview }) => preview)).toEqual(['stream 2 tokens', 'stream 1 tokens'])
  }
})

proves('slash.stop', '/stop ends the turn that runs, and the client goes on', async () => {
  using home = openTestHome()
  const said = await talk(home, ['stream 100000 tokens every 5 ms', '/stop', 'stream 1 tokens'])
  expect(said).toContain('Interrupted.')
  expect(said.at(-1)).toBe('offline-1')
})

proves('slash.usage', '/usage counts the calls and tokens of the session', async () => {
  using home = openTestHome()
  const [before, , after] = await talk(home, ['/usage', 'stream 7 tokens', '/usage'])
  expect(before).toMatch(/nothing yet/)
  expect(after).toMatch(/^1 model call, [1-9]\d* tokens in and [1-9]\d* out.*offline/)
})

proves(['slash.plugins', 'slash.version'], '/plugins shows how each plugin is, /version the version of the program', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'plugins:\n  deny: [toolset-terminal]\n')
  const said = await talk(home, ['/plugins', '/version'])
  expect(said).toContain('toolset-files: ready')
  expect(said).toContainEqual(expect.stringMatching(/^toolset-terminal: blocked \(.*plugins\.deny.*\)$/))
  expect(said.at(-1)).toBe((await runAgent(home, ['--version'])).out.trim())
})

proves('slash.tools', '/tools lists the tools and switches a toolset for the next start', async () => {
  using home = openTestHome()
  const filesLine = expect.stringMatching(/^files: /)
  expect(await talk(home, ['/tools', '/tools disable files'])).toContainEqual(filesLine)
  expect(await talk(home, ['/tools list', '/tools enable files'])).not.toContainEqual(filesLine)
  expect(await talk(home, ['/tools'])).toContainEqual(filesLine)
})

proves(
  ['slash.reasoning', 'config.display.show-reasoning'],
  'thinking is hidden until display.show_reasoning or /reasoning shows it; efforts are taken, other words refused',
  async () => {
    using home = openTestHome()
    home.write('thoughts.yaml', 'turns:\n  - { reason: hmm, say: one }\n  - { reason: well, say: two }\n')
    home.write('.env', `AGENT_OFFLINE_SCRIPT=${home.home}/thoughts.yaml\n`)
    expect(await talk(home, ['ask', '/reasoning show', 'ask'])).toEqual(['one', expect.stringMatching(/shown/), 'well', 'two'])
    await runHere(home, ['config', 'set', 'display.show_reasoning', 'true'])
    expect(await talk(home, ['ask', '/reasoning hide', 'ask'])).toEqual(['hmm', 'one', expect.stringMatching(/hidden/), 'two'])
    const said = await talk(
      home,
      ['none', 'low', 'medium', 'high', 'xhigh', 'show', 'on', 'hide', 'off', 'most'].map((word) => `/reasoning ${word}`),
    )
    expect(said.filter((line) => line.startsWith('Thinking:'))).toHaveLength(9)
    expect(said[3]).toMatch(/^Thinking: high;/)
    expect(said.at(-1)).toMatch(/takes one of/)
  },
)
