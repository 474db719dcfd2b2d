import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { program } from '../run-agent.ts'
import type { TestHome } from '../test-home.ts'
import { connectClient, type EditorPerson, type TestClient } from './connect-client.ts'

export interface StartedEditor extends AsyncDisposable {
  readonly editor: TestClient
  /** All of standard output so far. */
  readonly out: () => string
  readonly note: () => string
  /** Writes into standard input. */
  type(text: string): void
  /** Closes standard input. */
  leave(): void
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** The built program as an editor starts it, and an editor that has said hello. */
export async function startEditor(home: TestHome, person: EditorPerson = {}): Promise<StartedEditor> {
  const child = spawn(process.execPath, [program, 'acp'], { cwd: home.work, env: home.environment, stdio: 'pipe' })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null)
  let out = ''
  let note = ''
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString('utf8')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    note += text
  })
  child.stdin.on('error', () => undefined)
  const editor = connectClient(child.stdin, child.stdout, person)
  await editor.initialize()
  return {
    ...{ editor, ended, out: () => out, note: () => note },
    type: (text) => void child.stdin.write(text),
    leave: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
