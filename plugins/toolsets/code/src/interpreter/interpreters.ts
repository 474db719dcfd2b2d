import { type Interpreter, openInterpreter } from './interpreter.ts'
import { createShelf, type Kept, type ShelfOptions } from './interpreter-shelf.ts'
import type { InterpreterStart } from './start-interpreter.ts'

/** Whose interpreter it is, and how one is started today. */
export interface InterpreterWish {
  readonly session: string
  readonly language: string
  /** The one that is there ends. */
  readonly reset: boolean
  readonly start: InterpreterStart
}

export interface Taken {
  readonly interpreter: Interpreter
  /** Why an earlier one is gone, which the session has not been told. */
  readonly lost?: string
  /** Gives it back; with `ended` it is over, for this reason. */
  release(ended?: string): void
}

/** The interpreters that live on between scripts: at most one of a language for a session. */
export interface Interpreters {
  take(wish: InterpreterWish): Taken
  close(): Promise<void>
}

/** So many losses wait to be told. */
const mostLosses = 500

export function createInterpreters(options: ShelfOptions): Interpreters {
  const { clock } = options
  /** Why interpreters are gone whose sessions have not been told. */
  const losses = new Map<string, string>()
  const shelf = createShelf(options, (key, reason) => {
    losses.delete(key)
    losses.set(key, reason)
    const [oldest] = losses.keys()
    if (losses.size > mostLosses && oldest !== undefined) losses.delete(oldest)
  })

  /** Where all are busy there are more of them for a while: nobody waits for the script of another conversation. */
  function open(key: string, start: InterpreterStart): Kept {
    shelf.makeRoom(1)
    const interpreter = openInterpreter(start, clock)
    const each: Kept = { key, start: JSON.stringify(start), interpreter, isBusy: true, usedAt: clock.now() }
    const onEnd = (): void => shelf.remove(each, 'it ended by itself')
    interpreter.ended.then(onEnd, onEnd)
    shelf.add(each)
    return each
  }

  /** The one that is there, where it is as one would be that is started today. */
  function find(key: string, { reset, start }: InterpreterWish): Kept | undefined {
    const each = shelf.find(key)
    if (!each) return undefined
    if (!each.interpreter.isSound()) shelf.remove(each, 'it went on with calls of tools that were refused')
    else if (reset) shelf.remove(each, 'a script began afresh')
    else if (each.start !== JSON.stringify(start)) shelf.remove(each, 'the sandbox, the environment or the folder is another one now')
    return shelf.find(key)
  }

  return {
    take(wish) {
      const key = JSON.stringify([wish.session, wish.language])
      const found = find(key, wish)
      const lost = wish.reset ? undefined : losses.get(key)
      losses.delete(key)
      const each = found ?? open(key, wish.start)
      each.isBusy = true
      shelf.changed(each)
      return {
        interpreter: each.interpreter,
        ...(lost === undefined ? {} : { lost }),
        release(ended) {
          each.isBusy = false
          each.usedAt = clock.now()
          if (ended !== undefined) shelf.remove(each, ended)
          shelf.changed(each)
          shelf.makeRoom(0)
        },
      }
    },
    close: shelf.close,
  }
}
