// The least that answers on the bench's chat service: it says every word again.
const [url, ...bots] = process.argv.slice(2)
process.on('disconnect', () => process.exit())

async function answer(bot) {
  for (let after = 0; ; ) {
    const response = await fetch(`${url}/${bot}/updates/${after}`)
    for (const { id, conversation, text } of await response.json()) {
      await fetch(`${url}/${bot}/send`, { method: 'POST', body: JSON.stringify({ conversation, text }) }).then((sent) => sent.json())
      after = id
    }
  }
}
for (const bot of bots) void answer(bot)
