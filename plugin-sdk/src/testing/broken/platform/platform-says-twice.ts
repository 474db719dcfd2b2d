import { mailbox } from '../sound-platform.ts'

// Breaks `receipts`: each message arrives twice.
export default mailbox({
  connection: ({ send }) => ({
    send: async (message, call) => {
      await send?.(message, call)
      return (await send?.(message, call)) ?? { status: 'sent', platformId: '1' }
    },
  }),
})
