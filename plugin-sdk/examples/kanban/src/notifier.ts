import type { Notifier, NotifierEvent, NotifierPost } from '@agent/plugin-sdk'

const notifier: Notifier = {
  async open() {
    return { hear: async (event) => describe(event) }
  },
}

export default notifier

/** Only the board speaks here: the one who moved a card has no word in it. */
function describe({ name, data }: NotifierEvent): readonly NotifierPost[] {
  const { number, title, column } = (data ?? {}) as { readonly [key: string]: unknown }
  if (typeof number !== 'number' || typeof title !== 'string') return []
  if (name === 'card.removed') return [{ text: `Card ${number} was taken off the board: ${title}` }]
  return typeof column === 'string' ? [{ text: `Card ${number} was moved to ${column}: ${title}` }] : []
}
