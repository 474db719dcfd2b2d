import type { Clock, TurnEvent } from '@agent/plugin-sdk'
import { printable } from '#observe/printable.ts'

/** What a turn waits for, and since when. */
export interface SignOfLife {
  begin(): void
  hear(event: TurnEvent): void
  end(): void
  /** The sign of life; undefined while nothing goes on. */
  describe(): string | undefined
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
    'approval.request': () => wait('waits for your answer'),
    'clarify.request': () => wait('waits for your answer'),
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
      const others = tools.size > 1 ? ` and ${tools.size - 1} more` : ''
      const [tool] = tools.values()
      return `${beat} ${describeTime(passed)} · ${printable(tool === undefined ? doing : `runs ${tool}${others}`)}`
    },
  }
}

export function describeTime(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
