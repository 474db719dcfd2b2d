import type { Panel } from '@agent/plugin-sdk'

type Wanted = Parameters<Parameters<Panel['open']>[0]['logs']['read']>[0]

/** So many lines are shown, and so many are looked through for words. */
const shown = 300
const searched = 1000

/** The host has checked what was filled in. */
const panel: Panel = {
  async open({ logs }) {
    return {
      async run({ input }) {
        const { file, level, find } = input as { readonly file: Wanted['name']; readonly level?: Wanted['level']; readonly find: string }
        const words = find.trim().toLowerCase()
        const { lines } = await logs.read({ name: file, count: words === '' ? shown : searched, level })
        return { lines: lines.filter(({ text }) => text.toLowerCase().includes(words)).slice(-shown) }
      },
    }
  },
}

export default panel
