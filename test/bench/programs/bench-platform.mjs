// A messaging platform inside the gateway, by the public contract alone: every conversation says something,
// waits for the answer, and says the next thing. A repeated send with the same key counts once.
const conversations = 200
const warmup = 10

export default {
  async connect(context) {
    const { rounds, report } = context.config
    const said = new Array(conversations).fill(0)
    const seen = new Set()
    let answered = 0
    let warmAt = 0

    const say = async (number) => {
      const id = `${number}-${said[number]++}`
      const place = { id: `room-${number}`, kind: 'dm' }
      const message = {
        id,
        account: 'bench',
        conversation: place,
        sender: { id: `person-${number}`, isBot: false },
        text: `hello ${id}`,
        addressed: true,
      }
      for (;;) {
        const accepted = await context.receive(message)
        if (accepted.status !== 'busy') return
        await context.clock.sleep(accepted.retryAfterMs, context.signal)
      }
    }
    const finish = async () => {
      const counted = conversations * (rounds - warmup)
      const perSecond = counted / ((context.clock.now() - warmAt) / 1000)
      await context.fetch(report, { method: 'POST', body: JSON.stringify({ answered, doubles: answered - seen.size, perSecond }) })
    }
    const send = async (message) => {
      if (seen.has(message.key)) return { status: 'sent', platformId: message.key }
      seen.add(message.key)
      answered++
      if (answered === conversations * warmup) warmAt = context.clock.now()
      const number = Number(message.conversation.slice('room-'.length))
      if (said[number] < rounds) void say(number)
      if (answered === conversations * rounds) void finish()
      return { status: 'sent', platformId: message.key }
    }
    for (let number = 0; number < conversations; number++) void say(number)
    return { send, lastHeard: async () => context.clock.now(), close: async () => undefined }
  },
}
