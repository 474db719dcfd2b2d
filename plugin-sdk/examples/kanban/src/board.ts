import type { State } from '@agent/plugin-sdk'

export const columns = ['todo', 'doing', 'done'] as const
export type Column = (typeof columns)[number]

export interface Card {
  readonly number: number
  readonly title: string
  readonly column: Column
  /** The session that made it. */
  readonly session: string
}

/** A type, because only types cross the border as plain data. */
type Kept = {
  readonly next: number
  readonly cards: readonly { readonly number: number; readonly title: string; readonly column: Column; readonly session: string }[]
}

export interface Board {
  list(): Promise<readonly Card[]>
  /** undefined where the board is full. */
  add(title: string, session: string): Promise<Card | undefined>
  /** The card as it was; undefined where there is none. */
  move(number: number, column: Column): Promise<Card | undefined>
  remove(number: number): Promise<Card | undefined>
}

const mostCards = 200

/** One board for the whole profile, in the state of the plugin. */
export function openBoard(state: State): Board {
  const read = async (): Promise<Kept> => ((await state.get('board')) ?? { next: 1, cards: [] }) as Kept
  let last: Promise<unknown> = Promise.resolve()
  /** One change after the other: each begins with what the one before it left. */
  const change = <Value>(make: (board: Kept) => { readonly board?: Kept; readonly value: Value }): Promise<Value> => {
    const next = last.then(async () => {
      const { board, value } = make(await read())
      if (board) await state.set('board', board)
      return value
    })
    last = next.catch(() => undefined)
    return next
  }
  return {
    list: async () => (await read()).cards,
    add: (title, session) =>
      change<Card | undefined>(({ next, cards }) => {
        if (cards.length >= mostCards) return { value: undefined }
        const card: Card = { number: next, title, column: 'todo', session }
        return { board: { next: next + 1, cards: [...cards, card] }, value: card }
      }),
    move: (number, column) =>
      change((board) => {
        const value = board.cards.find((card) => card.number === number)
        const cards = board.cards.map((card) => (card === value ? { ...card, column } : card))
        return value ? { board: { ...board, cards }, value } : { value }
      }),
    remove: (number) =>
      change((board) => {
        const value = board.cards.find((card) => card.number === number)
        return value ? { board: { ...board, cards: board.cards.filter((card) => card !== value) }, value } : { value }
      }),
  }
}
