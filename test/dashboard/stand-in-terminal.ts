import type { WebSocket } from 'ws'
import type { TerminalMessage } from '../../host/src/dashboard/ws/serve-terminal.ts'
import { attack } from './hostile.ts'
import type { StandInState } from './stand-in-answers.ts'

const screen = [
  '\x1b[1magent\x1b[0m \x1b[2moffline · ses_1 · ~/parser\x1b[0m',
  '',
  '\x1b[36m❯\x1b[0m Why do the tests of the parser fail on Tuesdays?',
  '',
  '\x1b[33m●\x1b[0m terminal npm test \x1b[31mfailed, exit code 1\x1b[0m \x1b[2m2.3 s, 14 lines\x1b[0m',
  '\x1b[33m●\x1b[0m patch src/day.ts \x1b[2m2 lines\x1b[0m',
  '  \x1b[31m- const day = words[0]\x1b[0m',
  '  \x1b[32m+ const day = words.find(isDay)\x1b[0m',
  '',
  'The parser reads a \x1b[1mdate\x1b[0m as a \x1b[3mday of the week\x1b[0m: 火曜日 is one too.',
  '',
  '\x1b[36m❯\x1b[0m ',
]

/** A terminal with a conversation, one in which nothing was said yet, or one that cannot be opened. */
export function serveTerminal(socket: WebSocket, shown: StandInState): void {
  const send = (message: TerminalMessage): void => socket.send(JSON.stringify(message))
  if (shown === 'failing') return void socket.close(1013, 'Too many terminals are open. Close one of them, then open this one again.')
  const lines = shown === 'empty' ? screen.slice(-1) : shown === 'hostile' ? [...screen, attack] : screen
  send({ type: 'output', data: lines.join('\r\n') })
}
