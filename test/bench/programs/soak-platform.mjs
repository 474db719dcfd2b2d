/** Talks to itself without end where its settings say so, and counts what gets no answer. */
export default {
  async connect(context) {
    const over = new AbortController()
    context.effect(() => over.abort())
    let answered = () => undefined
    const count = globalThis[Symbol.for('reload soak')] ?? { said: 0, answered: 0, connects: 0 }
    globalThis[Symbol.for('reload soak')] = count
    if (context.config.talks) {
      count.connects += 1
      void talk()
    }
    async function talk() {
      const people = { conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false }, account: 'bot', addressed: true }
      while (!over.signal.aborted) {
        const answer = new Promise((resolve) => (answered = resolve))
        count.said += 1
        await context.receive({ ...people, id: `m${count.said}`, text: `message ${count.said}` })
        await answer
        count.answered += 1
      }
    }
    return {
      async send(message) {
        answered()
        return { status: 'sent', platformId: message.key }
      },
      lastHeard: async () => Date.now(),
      close: async () => over.abort(),
    }
  },
}
