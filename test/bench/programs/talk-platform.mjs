// A messaging platform of the bench's chat service, by the public contract alone.
export default {
  async connect({ config, fetch, receive, signal, clock, about }) {
    const base = `${config.url}/${about.contribution}`
    let heard = clock.now()
    const listen = async () => {
      for (let after = 0; !signal.aborted; ) {
        const response = await fetch(`${base}/updates/${after}`, { signal })
        for (const { id, conversation, text } of await response.json()) {
          const place = { id: conversation, kind: 'dm' }
          await receive({
            id: String(id),
            account: 'bot',
            conversation: place,
            sender: { id: conversation, isBot: false },
            text,
            addressed: true,
          })
          after = id
        }
        heard = clock.now()
      }
    }
    listen().catch(() => undefined)
    return {
      send: async ({ conversation, text, key }, call) => {
        const body = JSON.stringify({ conversation, text, key })
        const response = await fetch(`${base}/send`, { method: 'POST', body, signal: call.signal })
        return { status: 'sent', platformId: String((await response.json()).id) }
      },
      identity: async () => ({ id: 'bot', name: 'bot' }),
      lastHeard: async () => heard,
      close: async () => undefined,
    }
  },
}
