// @module-tag process
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { missingTmux, openTerminal, type Terminal } from '../support/tmux.ts'

const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'host', 'bin', 'agent.mjs')
const fixtures = join(import.meta.dirname, 'fixtures', 'terminal-walk')

const script = `turns:
  - say: |
      # Three ways to count

      The first way is the one that everybody knows: look at each of them, **one after the other**, and say the next number.
      It takes as long as there are things to count, and 日本語 or 👩‍👩‍👧 are no harder than \`letters\`.

      1. Take the first.
      2. Take the next, and remember how many there were before it, which is where most people go wrong.

      | way | what it costs | when it is good |
      | --- | ---: | --- |
      | by hand | 1 second each | there are few of them |
      | by machine | nothing | there are many of them, and they look alike |

      \`\`\`ts
      export function count(things: readonly string[]): number {
        return things.length // all of them, however many there are in this list
      }
      \`\`\`

      That is all.
  - calls: [{ name: patch, args: { path: notes.md, old_string: two, new_string: "two and a half" } }]
  - say: The second line is changed.
  - calls: [{ name: terminal, args: { command: "rm -rf ./build/.git && echo gone" } }]
  - say: It is gone.
  - calls: [{ name: terminal, args: { command: "sleep 60" } }]
`

function openHome(): TestHome {
  const home = openTestHome()
  writeFileSync(join(home.folder, 'script.yaml'), script)
  writeFileSync(join(home.work, 'notes.md'), 'one\ntwo\nthree\n')
  const script_ = join(home.folder, 'script.yaml')
  home.write(
    'config.yaml',
    `display: { busy_input_mode: queue }\nterminal: { sandbox: 'off' }\nplugins: { entries: { provider-offline: { config: { script: ${script_} } } } }`,
  )
  return home
}

function openChat(
  home: TestHome,
  size: { readonly columns: number; readonly rows: number },
  more: Readonly<Record<string, string>>,
): Terminal {
  const environment = { ...home.environment, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...more }
  return openTerminal({ command: [process.execPath, program, 'chat'], environment, cwd: home.work, ...size })
}

/** Without what is different each time. */
function steady(screen: string): string {
  return `${screen
    .replaceAll(/[⠁-⣿] (?:\d+ min )?\d+ s/g, '⠿ 0 s')
    .replaceAll(/^( {2}(?:ok|failed|stopped)) · \d+\.\d s/gm, '$1')
    .replaceAll(/runs term\w*… ·/g, 'runs terminal… ·')
    .replaceAll(/waits for [^·]* · \d min \d+ s left/g, 'waits for you · 5 min 0 s left')
    .replaceAll(/agent \d+\.\d+\.\d+/g, 'agent 0.0.0')}\n`
}

function send(terminal: Terminal, text: string): void {
  terminal.type(text)
  terminal.press('Enter')
}

const idle = /^(?![\s\S]*Esc interrupts\n)[\s\S]*›\s*$/

describe('a walk through the chat', needs(missingTmux()), () => {
  test.each([40, 80, 200])('at %i columns', { timeout: 120_000 }, async (columns) => {
    using home = openHome()
    await using terminal = openChat(home, { columns, rows: 30 }, { NO_COLOR: '1' })
    const keep = async (name: string): Promise<void> =>
      expect(steady(terminal.everything())).toMatchFileSnapshot(join(fixtures, `${columns}`, `${name}.txt`))
    await terminal.shows(/leaves\.\s+›/)
    send(terminal, 'count')
    await terminal.shows(/That is all\./)
    await terminal.shows(idle)
    await keep('1-answer')
    send(terminal, 'change the second line')
    await terminal.shows(/The second line is changed\./)
    await terminal.shows(idle)
    await keep('2-change')
    send(terminal, 'remove the build')
    await terminal.shows(/Allow it\?/)
    await keep('3-question')
    terminal.type('o')
    terminal.press('Enter')
    await terminal.shows(/It is gone\./)
    await terminal.shows(idle)
    await keep('4-allowed')
    send(terminal, 'wait')
    await terminal.shows(/runs terminal/)
    send(terminal, 'say this next')
    await terminal.shows(/next: say this next/)
    terminal.type('日本語 and words that take more than one line where the window is narrow')
    await terminal.shows(/narrow/)
    await keep('5-queue')
    terminal.press('C-c')
    await terminal.shows(/›\s*$/)
    terminal.press('Escape')
    await terminal.shows(/Interrupted\.[\s\S]*› say this next/)
    await keep('6-interrupted')
    terminal.press('C-u')
    terminal.paste(Array.from({ length: 3000 }, (_, index) => `line ${index} of a log`).join('\n'))
    await terminal.shows(/\[pasted 3,000 lines\]/)
    await keep('7-paste')
    terminal.press('C-u')
    send(terminal, '/help')
    await terminal.shows(/Leave the chat[\s\S]+ it\s+uses\s+›\s*$/)
    expect(terminal.everything()).toMatch(
      columns === 40 ? /^\/stop\n {4}Interrupt what is going on$/m : /^\/stop {2,}Interrupt what is going on$/m,
    )
    expect(terminal.everything({ styled: true })).not.toMatch(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*3[0-9]`))
  })

  test('after the window has changed its size what was said stands as it was, and the line below it once', {
    timeout: 120_000,
  }, async () => {
    using home = openHome()
    await using terminal = openChat(home, { columns: 80, rows: 24 }, {})
    await terminal.shows(/leaves\.\s+›/)
    send(terminal, 'count')
    await terminal.shows(/That is all\./)
    await terminal.shows(idle)
    terminal.type('some words that are written and not sent, longer than the narrow window is wide')
    await terminal.shows(/wide/)
    for (const columns of [40, 100, 60]) {
      terminal.resize(columns, 24)
      await terminal.shows(
        columns === 40
          ? /› some words that are written and not\s*\n {2}\S/
          : columns === 100
            ? /than the narrow window is wide\n/
            : /longer than the\s*\n {2,}narrow window is wide\n/,
      )
      const all = terminal.everything()
      expect(all.match(/› some words/g)).toHaveLength(1)
      expect(all.match(/Three ways to count/g)).toHaveLength(1)
      expect(all).toMatch(/That is all\.\s+› some words/)
    }
    await expect(steady(terminal.everything({ styled: true }))).toMatchFileSnapshot(join(fixtures, 'resized.txt'))
  })
})
