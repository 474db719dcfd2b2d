import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** This program once more, as another part of the run. */
export interface Program extends AsyncDisposable {
  ask(order: unknown): Promise<unknown>
  /** What it says first. */
  heard(): Promise<unknown>
}

export function startProgram(name: string): Program {
  const child: ChildProcess = fork(process.argv[1] ?? '', [name])
  let fail = (_error: Error): void => undefined
  let settle = (_words: unknown): void => undefined
  child.on('message', (words) => settle(words))
  child.once('exit', (code) => fail(new Error(`The ${name} ended with code ${code}.`)))
  const heard = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      settle = resolve
      fail = reject
    })
  return {
    heard,
    ask: (order) => {
      const answer = heard()
      child.send(order as object)
      return answer
    },
    async [Symbol.asyncDispose]() {
      const exit = child.exitCode === null ? once(child, 'exit') : undefined
      if (child.connected) child.disconnect()
      child.kill('SIGKILL')
      await exit
    },
  }
}
