// A model that answers at once inside the gateway's own process.
const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

export default {
  async open() {
    return {
      async *stream() {
        yield { type: 'text', delta: 'word' }
        yield { type: 'end', reason: 'stop', usage }
      },
    }
  },
}
