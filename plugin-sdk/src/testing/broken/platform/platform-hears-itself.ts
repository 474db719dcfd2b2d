import { mailbox } from '../sound-platform.ts'

// Breaks `echo`: what it sends comes back as a message of somebody.
export default mailbox({
  connection: ({ send }, { receive }) => ({
    send: async (message, call) => {
      const { key: id, account, text } = message
      await receive({ id, account, text, addressed: false, conversation: { id: 'room', kind: 'group' }, sender: { id: 'b', isBot: true } })
      return (await send?.(message, call)) ?? { status: 'sent', platformId: '1' }
    },
  }),
})
