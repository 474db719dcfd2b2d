import { mailbox } from '../sound-platform.ts'

// Breaks `answer`: what answers a message is told as sent, and goes nowhere.
export default mailbox({
  connection: ({ send }) => ({
    send: async (message, call) => {
      const receipt = message.replyTo === undefined ? await send?.(message, call) : undefined
      return receipt ?? { status: 'sent', platformId: '1' }
    },
  }),
})
