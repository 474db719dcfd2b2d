import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { fail } from '@agent/plugin-sdk/errors'
import type { TriedPlatform } from '#gateway/setup/try-platform.ts'
import { showText } from '#observe/printable.ts'
import type { Typed } from '#rpc/gateway/test-connection.ts'
import type { Cli } from '../console/cli.ts'

export interface WizardOptions {
  readonly cli: Pick<Cli, 'out' | 'note'>
  readonly asker: Pick<Asker, 'ask' | 'askSecret'>
  /** What a variable holds now. */
  readonly current: (name: string) => string | undefined
  /** What a key of `extra` is now. */
  readonly currentSetting: (key: string) => unknown
  /** Connects with these; rejects with what is wrong. */
  readonly connect: (typed: Typed) => Promise<TriedPlatform>
}

/** Asks the person at the terminal. Ctrl-C and the end of the input reject with INTERRUPTED. */
export interface Asker extends Disposable {
  /** What was typed, without space around it. */
  ask(question: string): Promise<string>
  /** The same, and nothing of it is seen. */
  askSecret(question: string): Promise<string>
}

export function openAsker(cli: Pick<Cli, 'input' | 'signal'>): Asker {
  let muted = false
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!muted) process.stderr.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input: cli.input, output, terminal: true, historySize: 0 })
  const ask = (question: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        lines.off('SIGINT', leave).off('close', leave)
        cli.signal.removeEventListener('abort', leave)
        reject(fail('INTERRUPTED'))
      }
      lines.once('SIGINT', leave).once('close', leave)
      cli.signal.addEventListener('abort', leave, { once: true })
      lines.question(showText(question), (answer) => {
        lines.off('SIGINT', leave).off('close', leave)
        cli.signal.removeEventListener('abort', leave)
        resolve(answer.trim())
      })
    })
  return {
    ask,
    askSecret: async (question) => {
      process.stderr.write(showText(question))
      muted = true
      try {
        return await ask('')
      } finally {
        muted = false
        process.stderr.write('\n')
      }
    },
    [Symbol.dispose]: () => lines.close(),
  }
}
