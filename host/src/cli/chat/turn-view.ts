import type { TurnEvent } from '@agent/plugin-sdk'
import { createRenderer } from './render.ts'

/** What a turn looks like: lines that are finished, and those that may still change. */
export interface TurnView {
  take(event: TurnEvent): readonly string[]
  tail(): readonly string[]
}

export interface TurnViewOptions {
  readonly columns: () => number
  readonly colour: boolean
  readonly showReasoning: () => boolean
}

export function createTurnView({ columns, colour, showReasoning }: TurnViewOptions): TurnView {
  let open = ''
  const shown = {
    colour,
    get columns() {
      return columns()
    },
    write: (text: string) => {
      open += text
    },
  }
  const renderer = createRenderer(shown, { showReasoning })
  return {
    take: (event) => {
      renderer.show(event)
      if (event.type.endsWith('.request') && open !== '') open += '\n'
      const lines = open.split('\n')
      open = lines.pop() ?? ''
      return lines
    },
    tail: () => (open === '' ? [] : [open]),
  }
}
