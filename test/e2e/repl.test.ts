// @module-tag process
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { addCommands } from '../support/gateways/reload-gateway.ts'
import { needs } from '../support/needs.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { missingTmux, openTerminal, type Terminal } from '../support/tmux.ts'

const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'host', 'bin', 'agent.mjs')

function openChat(home: TestHome, words: readonly string[] = []): Terminal {
  const command = [process.execPath, program, 'chat', ...words]
  return openTerminal({ command, environment: { ...home.environment, TERM: 'xterm', NO_COLOR: '1' }, cwd: home.work })
}

async function say(terminal: Terminal, text: string, answer: RegExp): Promise<string> {
  terminal.type(text)
  terminal.press('Enter')
  await terminal.shows(answer)
  return terminal.shows(isOver(answer) ? /^(?![\s\S]*· Esc interrupts)/ : answer)
}

/** These are the last words of an answer; its turn ends a moment later. */
function isOver({ source }: RegExp): boolean {
  return /offline model|That is all|You said/.test(source)
}

describe('the chat in a terminal', needs(missingTmux()), () => {
  proves(['cli.binary', 'cli.chat.cli'], 'a conversation streams, runs tools and shows them', async () => {
    using home = openTestHome()
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    await say(terminal, 'hello', /offline model/)
    const screen = await say(terminal, 'run echo one-two', /That is all/)
    expect(screen).toMatch(/terminal\s+echo one-two/)
    expect(screen).toMatch(/ok\s+one-two/)
  })

  test('the first line says who answers, in which session and where; a failed command and a slip are told; exit leaves', async () => {
    using home = openTestHome()
    await using terminal = openChat(home)
    await terminal.shows(/agent \d\S* · offline\/offline · new session · \S+[\s\S]*›/)
    await say(terminal, 'run echo gone; exit 3', /failed \(exit code 3\)/)
    await say(terminal, '/usge', /There is no command \/usge\. Did you mean \/usage\?/)
    terminal.type('exit')
    terminal.press('Enter')
    await terminal.ended()
    expect(terminal.everything()).toMatch(/agent\S* chat -c goes on with this conversation\./)
  })

  test('who leaves before anything was said is told of nothing to go on with', async () => {
    using home = openTestHome()
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    terminal.press('C-d')
    await terminal.ended()
    expect(terminal.everything()).not.toContain('goes on with')
  })

  test('a dangerous command waits for approval; no is an answer', async () => {
    using home = openTestHome()
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    await say(terminal, 'run rm -rf ./sub/.git', /Allow it\?/)
    const screen = await say(terminal, 'd', /That is all/)
    expect(screen).toContain('Not allowed')
    await say(terminal, 'run rm -rf ./sub/.git and run rm -rf .git', /and run rm -rf \.git[\s\S]*Allow it\?/)
    await say(terminal, 's', /no output[\s\S]*no output[\s\S]*That is all/)
  })

  test('what ends in the background is noted between the prompts', async () => {
    using home = openTestHome()
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    await say(terminal, 'call terminal {"command":"sleep 0.5; exit 3","background":true}', /That is all/)
    await terminal.shows(/Started in the background: `sleep 0.5; exit 3`/)
    await terminal.shows(/Ended in the background after \d+ s: `sleep 0.5; exit 3` \(exit code 3\)\s+›/)
    await say(terminal, 'hello', /offline model/)
  })

  test('what is pasted over several lines is one entry', async () => {
    using home = openTestHome()
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    terminal.paste('first line\nsecond line')
    await terminal.shows(/second line/)
    terminal.press('Enter')
    expect(await terminal.shows(/You said: first line\n\s*second line/)).toContain('second line')
  })

  test('Ctrl-C interrupts a turn; twice with nothing running leaves', async () => {
    using home = openTestHome()
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    await say(terminal, 'run sleep 30', /terminal\s+sleep 30/)
    terminal.press('C-c')
    await terminal.shows(/Interrupted\.[\s\S]*›/)
    terminal.press('C-c')
    await terminal.shows(/Ctrl-C again/)
    terminal.press('C-c')
    await terminal.ended()
  })

  proves(['cli.chat.continue', 'slash.title', 'slash.usage'], 'a session goes on later by its title, and slash commands work', async () => {
    using home = openTestHome()
    {
      await using terminal = openChat(home)
      await terminal.shows(/›/)
      await say(terminal, 'hello', /offline model/)
      await say(terminal, '/title My talk', /is called "My talk"/)
      await say(terminal, '/usage', /1 model call,/)
      await say(terminal, '/usge', /Did you mean \/usage\?/)
      terminal.press('C-d')
      await terminal.ended()
    }
    await using terminal = openChat(home, ['-c', 'My talk'])
    await terminal.shows(
      /Goes on with "My talk" \(ses_\w+\): 2 messages, the last of 20\S+ \S+\.\s+› hello\s[\s\S]*offline model[\s\S]*›\s*$/,
    )
    await say(terminal, 'hello again', /› hello again[\s\S]*offline model/)
    await say(terminal, '/usage', /2 model calls/)
  })

  proves(
    ['slash.new', 'slash.plugins', 'slash.tools', 'slash.version', 'slash.reasoning', 'slash.stop'],
    'slash commands answer at once, and /stop does not wait for the turn',
    async () => {
      using home = openTestHome()
      await using terminal = openChat(home)
      await terminal.shows(/›/)
      await say(terminal, '/version', /agent \d+\.\d+\.\d+\n/)
      await say(terminal, '/status', /offline\/offline answers in a new session, in \S+[\s\S]*Nothing is going on here\./)
      await say(terminal, '/plugins', /provider-offline +ready/)
      await say(terminal, '/tools', /files +.*read_file/)
      await say(terminal, '/reasoning high', /Thinking: high; hidden/)
      await say(terminal, '/reasoning show', /Thinking: high; shown/)
      await say(terminal, '/reasoning perhaps', /takes one of/)
      await say(terminal, 'hello', /offline model/)
      await say(terminal, '/new', /A new session starts/)
      await say(terminal, '/usage', /has used nothing yet/)
      await say(terminal, 'run sleep 30', /terminal\s+sleep 30/)
      await say(terminal, '/status', /in the session ses_\w+, in[\s\S]*I work on what you said last\./)
      terminal.type('/stop')
      terminal.press('Enter')
      await terminal.shows(/Interrupted\./)
    },
  )

  test('work in the background is reported, what runs is interrupted by words, and a session is gone on with', async () => {
    using home = openTestHome()
    {
      await using terminal = openChat(home)
      await terminal.shows(/›/)
      await say(terminal, '/background run sleep 0.5; echo beside', /I work on it in the background: run sleep 0.5; echo beside/)
      await say(terminal, 'hello', /offline model/)
      await terminal.shows(/Done in the background: run sleep 0.5; echo beside\s+terminal answered:\s+beside/)
      await say(terminal, '/title First talk', /is called "First talk"/)
      await say(terminal, '/new', /A new session starts/)
      await say(terminal, 'run sleep 30', /runs terminal sleep 30/)
      await say(terminal, 'hello again', /Interrupted\.[\s\S]*› hello again[\s\S]*offline model/)
      await say(terminal, '/resume', /First talk[\s\S]*goes on with one/)
      terminal.type('/resume Fi')
      terminal.press('Tab')
      await terminal.shows(/› \/resume First talk\s*$/)
      terminal.press('C-u')
      terminal.type('/resume ')
      terminal.press('Tab')
      await terminal.shows(/First talk +\d{4}-\d\d-\d\d \d\d:\d\d +hello$/m)
      terminal.press('C-u')
      await say(terminal, '/resume First talk', /Goes on with "First talk" \(ses_\S+\): 2 messages[\s\S]*› hello\s+Hello!/)
    }
    await using terminal = openChat(home, ['-c', 'First talk'])
    await terminal.shows(/session "First talk"[\s\S]*Goes on with "First talk"[\s\S]*› hello\s+Hello!/)
  })

  test('what is written while the agent works waits, comes back with Up, or is heard by the next step', async () => {
    using home = openTestHome()
    home.write('config.yaml', 'display: { busy_input_mode: steer }')
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    await say(terminal, 'run sleep 30', /runs terminal sleep 30/)
    await say(terminal, 'one more thing', /next: one more thing/)
    terminal.press('Up')
    await terminal.shows(/› one more thing$/m)
    terminal.press('C-c')
    await say(terminal, 'another thing', /next: another thing/)
    terminal.press('Escape')
    await terminal.shows(/Interrupted\.[\s\S]*› another thing/)
    terminal.press('C-u')
    await say(terminal, 'run sleep 1', /runs terminal sleep 1/)
    await say(terminal, 'and this', /› and this[\s\S]*adds, while you work:\][\s\S]*and this/)
  })

  test('commands of a plugin are completed, listed, run and interrupted', async () => {
    using home = openTestHome()
    const code = `export default { open: async () => ({ run: async ({ name, args, surface }, { signal }) => {
      if (args === 'break') throw new Error('it rolled off the table')
      if (args === 'long') await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return { text: [name, args, surface].join(' ') }
    } }) }`
    const roll = { name: 'roll', args: '[sides]', summary: 'Roll a die' }
    addCommands(home, 'dice', [roll, { name: 'recap', args: '<what>', summary: 'Sum up', prompt: 'Sum up {args}' }], code)
    home.write('config.yaml', 'plugins: { entries: { commands-dice: { enabled: true } } }')
    await using terminal = openChat(home)
    await terminal.shows(/›/)
    terminal.type('/rol')
    await terminal.shows(/› \/rol/)
    terminal.press('Tab')
    await terminal.shows(/› \/roll/)
    terminal.press('C-u')
    terminal.type('/reasoning hig')
    terminal.press('Tab')
    await terminal.shows(/› \/reasoning high/)
    terminal.press('C-u')
    terminal.type('/roll ')
    await say(terminal, '6', /› \/roll 6\s+roll 6 cli/)
    await say(terminal, '/help', /\/roll \[sides\] +Roll a die/)
    await say(terminal, '/recap the day', /You said: Sum up the day/)
    await say(terminal, '/roll break', /commands-dice failed during \/roll: it rolled off the table\./)
    terminal.type('/roll long')
    terminal.press('Enter')
    terminal.press('C-c')
    await terminal.shows(/Interrupted\.\s+›/)
    await say(terminal, '/usage', /1 model call,/)
  })
})
