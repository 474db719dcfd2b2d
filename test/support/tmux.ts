import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sayMissing } from './needs.ts'

/** A real terminal: a window of tmux with a program in it. */
export interface Terminal extends AsyncDisposable {
  type(text: string): void
  /** A key by tmux's name: Enter, C-c, C-d, Up. */
  press(key: string): void
  /** As a terminal pastes: framed, so that line breaks do not send. */
  paste(text: string): void
  screen(): string
  /** With all that has scrolled away, and with colours where they are asked for. */
  everything(how?: { readonly styled: boolean }): string
  resize(columns: number, rows: number): void
  /** Resolves with the screen once it shows the pattern. */
  shows(pattern: RegExp): Promise<string>
  /** Resolves when the program has ended. */
  ended(): Promise<void>
}

/** Why tests with a terminal cannot run here; undefined when they can. */
export function missingTmux(): string | undefined {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'pipe' })
    return undefined
  } catch {
    return process.env.CI ? undefined : sayMissing('tmux', 'tmux')
  }
}

interface TerminalOptions {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly columns?: number
  readonly rows?: number
}

export function openTerminal({ command, environment, cwd, columns = 100, rows = 40 }: TerminalOptions): Terminal {
  const socket = `agent-test-${randomBytes(6).toString('hex')}`
  // tmux hands its own PATH on, whatever the session is given.
  const env = { ...process.env, PATH: environment.PATH ?? process.env.PATH }
  const tmux = (...words: string[]): string => execFileSync('tmux', ['-L', socket, ...words], { encoding: 'utf8', timeout: 10_000, env })
  const variables = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : ['-e', `${name}=${value}`]))
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'm', '-x', String(columns), '-y', String(rows), '-c', cwd, ...variables, ...command)
  tmux('set-option', '-t', 'm', 'remain-on-exit', 'on')
  const screen = (): string => tmux('capture-pane', '-t', 'm', '-p')
  const until = async <T>(look: () => T | undefined, problem: string): Promise<T> => {
    for (let looks = 0; looks < 2400; looks++) {
      const found = look()
      if (found !== undefined) return found
      await wait(25)
    }
    throw new Error(`${problem}:\n${screen()}`)
  }
  return {
    type: (text) => void tmux('send-keys', '-t', 'm', '-l', text),
    press: (key) => void tmux('send-keys', '-t', 'm', key),
    paste: (text) => {
      execFileSync('tmux', ['-L', socket, 'load-buffer', '-b', 'paste', '-'], { input: text, timeout: 10_000 })
      tmux('paste-buffer', '-p', '-b', 'paste', '-t', 'm')
    },
    screen,
    everything: ({ styled } = { styled: false }) => tmux('capture-pane', '-t', 'm', '-p', '-S', '-', ...(styled ? ['-e'] : [])).trimEnd(),
    resize: (width, height) => void tmux('resize-window', '-t', 'm', '-x', String(width), '-y', String(height)),
    shows: (pattern) => until(() => (pattern.test(screen()) ? screen() : undefined), `The terminal never showed ${pattern}`),
    // Asked of tmux: what it writes into a dead pane comes late, or never where it cannot reap.
    ended: async () =>
      void (await until(() => tmux('list-panes', '-t', 'm', '-F', '#{pane_dead}').startsWith('1') || undefined, 'It did not end')),
    [Symbol.asyncDispose]: async () => void tmux('kill-server'),
  }
}
