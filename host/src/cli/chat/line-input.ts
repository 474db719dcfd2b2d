import { createInterface, type Interface, type Key } from 'node:readline'
import { Writable } from 'node:stream'
import type { Cli } from '../console/cli.ts'
import { readHistory, writeHistory } from './history.ts'

export interface LineInputOptions {
  readonly cli: Cli
  /** File that keeps what was typed. */
  readonly history: string
  /** What a line may become that was typed so far: the Tab key asks for it. */
  complete(line: string): readonly string[]
  /** A whole entry: one line, or several that were pasted or ended with a backslash. */
  onEntry(text: string): void
  /** Ctrl-C with nothing typed. */
  onInterrupt(): void
  /** Ctrl-D, or the end of the input. */
  onEnd(): void
}

export interface LineInput {
  /** Shows the prompt and what is being typed; hidden text is still read. */
  show(prompt: string): void
  hide(): void
  close(): void
}

// Bracketed paste: the terminal frames what is pasted, so that its line breaks do not send it.
const pasteOn = '\u001b[?2004h'
const pasteOff = '\u001b[?2004l'

/** Reads entries from the person at the terminal, or lines from a pipe. */
export function openLineInput(options: LineInputOptions): LineInput {
  const { cli } = options
  const screen = createScreen()
  const lines = createInterface({
    input: cli.input,
    output: screen.stream,
    terminal: cli.terminal,
    history: cli.terminal ? readHistory(options.history) : [],
    historySize: 1000,
    removeHistoryDuplicates: true,
    prompt: '',
    completer: (line: string): [string[], string] => [[...options.complete(line)], line],
  })
  const gathered: string[] = []
  let pasting = false
  const onKey = (_text: string | undefined, key: Key): void => {
    if (key.name === 'paste-start') pasting = true
    if (key.name === 'paste-end') pasting = false
  }
  const takeLine = (line: string): void => {
    const continued = !pasting && line.endsWith('\\')
    gathered.push(continued ? line.slice(0, -1) : line)
    if (pasting || continued) return
    options.onEntry(gathered.splice(0).join('\n'))
  }
  const stopReading = (): void => {
    if (gathered.length > 0) options.onEntry(gathered.splice(0).join('\n'))
    options.onEnd()
  }
  cli.input.on('keypress', onKey)
  lines
    .on('line', takeLine)
    .on('SIGINT', () => interrupt(lines, gathered, options))
    .on('close', stopReading)
  lines.on('history', (history: string[]) => cli.terminal && writeHistory(options.history, history))
  if (cli.terminal) cli.steer(pasteOn)
  return {
    show: (prompt) => {
      screen.open()
      lines.setPrompt(cli.terminal ? prompt : '')
      if (cli.terminal) lines.prompt(true)
    },
    hide: () => screen.shut(),
    close: () => {
      lines.off('close', stopReading)
      cli.input.off('keypress', onKey)
      if (cli.terminal) cli.steer(pasteOff)
      lines.close()
    },
  }
}

/** Ctrl-C throws away what is typed; with nothing typed it is an interrupt. */
function interrupt(lines: Interface, gathered: string[], options: LineInputOptions): void {
  if (lines.line === '' && gathered.length === 0) {
    options.onInterrupt()
    return
  }
  gathered.length = 0
  lines.write(null, { ctrl: true, name: 'e' })
  lines.write(null, { ctrl: true, name: 'u' })
}

/** Standard output that can be shut, so that typing does not run into a streamed answer. */
function createScreen(): { stream: Writable; open(): void; shut(): void } {
  let shown = true
  const stream = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      if (shown) process.stdout.write(chunk)
      done()
    },
  })
  Object.defineProperties(stream, {
    columns: { get: () => process.stdout.columns },
    rows: { get: () => process.stdout.rows },
    isTTY: { value: process.stdout.isTTY },
  })
  return { stream, open: () => (shown = true), shut: () => (shown = false) }
}
