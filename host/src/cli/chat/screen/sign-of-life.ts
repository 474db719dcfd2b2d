import type { Clock, TurnEvent } from '@agent/plugin-sdk'
import { printable } from '#observe/printable.ts'

/** What a turn waits for, and since when. */
export interface SignOfLife {
  begin(): void
  hear(event: TurnEvent): void
  end(): void
  /** Undefined while nothing goes on. */
  describe(): LifeSign | undefined
}

export interface LifeSign {
  /** A beat, and the time since the turn began. */
  readonly since: string
  readonly doing: string
}

const beats = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Milliseconds of a beat. */
export const beatMs = 125

export function createSignOfLife(clock: Pick<Clock, 'now'>): SignOfLife {
  let began: number | undefined
  let model = 'the model'
  let doing = ''
  /** Calls that run now, with what they do. */
  const tools = new Map<string, string>()
  const wait = (text: string): void => {
    doing = text
  }
  const handlers: { readonly [Type in TurnEvent['type']]?: (event: Extract<TurnEvent, { type: Type }>) => void } = {
    'message.start': (event) => {
      model = `${event.provider}/${event.model}`
      wait(`waits for ${model}`)
    },
    'reasoning.delta': () => wait(`${model} thinks`),
    'message.delta': () => wait(`${model} answers`),
    'tool.start': ({ id, name, preview }) => void tools.set(id, `${name} ${preview}`),
    'tool.complete': ({ id }) => {
      tools.delete(id)
      wait(`waits for ${model}`)
    },
    status: ({ text }) => wait(text),
  }
  return {
    begin: () => {
      began = clock.now()
      doing = 'works'
      tools.clear()
    },
    hear: (event) => (handlers[event.type] as ((event: TurnEvent) => void) | undefined)?.(event),
    end: () => {
      began = undefined
    },
    describe: () => {
      if (began === undefined) return undefined
      const passed = clock.now() - began
      const beat = beats[Math.floor(passed / beatMs) % beats.length]
      const [tool] = tools.values()
      const running = tools.size > 1 ? `runs ${tools.size} tools` : tool && `runs ${tool}`
      return { since: `${beat} ${describeTime(passed)}`, doing: printable(running ?? doing) }
    },
  }
}

export function describeTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
