import { execFileSync, spawn } from 'node:child_process'
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

const patienceMs = 60_000
const lookAgainMs = 200
const settledMs = 5

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
  const changes = watchPane(socket, env)
  const until = async <T>(look: () => T | undefined, problem: string): Promise<T> => {
    const end = performance.now() + patienceMs
    while (performance.now() < end) {
      const change = changes.next()
      const found = look()
      if (found !== undefined) return found
      const over = new AbortController()
      // Nothing tells that a program has ended.
      await Promise.race([change, wait(lookAgainMs, undefined, over).catch(() => undefined)])
      over.abort()
      // What is written at once comes in several pieces.
      await wait(settledMs)
    }
    throw new Error(`${problem}:\n${screen()}`)
  }
  return {
    type: (text) => void tmux('send-keys', '-t', 'm', '-l', '--', text),
    press: (key) => void tmux('send-keys', '-t', 'm', key),
    paste: (text) => {
      execFileSync('tmux', ['-L', socket, 'load-buffer', '-b', 'paste', '-'], { input: text, timeout: 10_000 })
      tmux('paste-buffer', '-p', '-b', 'paste', '-t', 'm')
    },
    screen,
    everything: ({ styled } = { styled: false }) => tmux('capture-pane', '-t', 'm', '-p', '-S', '-', ...(styled ? ['-e'] : [])).trimEnd(),
    resize: (width, height) => void tmux('resize-window', '-t', 'm', '-x', String(width), '-y', String(height)),
    shows: (pattern) => until(() => [screen()].find((shown) => pattern.test(shown)), `The terminal never showed ${pattern}`),
    // Asked of tmux: what it writes into a dead pane comes late, or never where it cannot reap.
    ended: async () =>
      void (await until(() => tmux('list-panes', '-t', 'm', '-F', '#{pane_dead}').startsWith('1') || undefined, 'It did not end')),
    [Symbol.asyncDispose]: async () => {
      changes.stop()
      tmux('kill-server')
    },
  }
}

/** Tells when the program has written: each look starts a process, which costs more than the wait is worth. */
function watchPane(socket: string, env: NodeJS.ProcessEnv): { next(): Promise<void>; stop(): void } {
  const words = ['-L', socket, '-C', 'attach-session', '-t', 'm', '-f', 'ignore-size,read-only']
  const watcher = spawn('tmux', words, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  watcher.on('error', () => undefined)
  let tell = (): void => undefined
  const wake = (): Promise<void> => new Promise((resolve) => (tell = resolve))
  let change = wake()
  watcher.stdout.on('data', () => {
    tell()
    change = wake()
  })
  return {
    next: () => change,
    stop: () => void watcher.kill(),
  }
}
