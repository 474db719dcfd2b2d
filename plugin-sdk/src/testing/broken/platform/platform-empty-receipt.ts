import { mailbox } from '../sound-platform.ts'

// Breaks `receipts`: nobody can say which message was sent.
export default mailbox({
  connection: (sound) => ({
    send: async (message, call) => {
      await sound.send?.(message, call)
      return { status: 'sent', platformId: '' }
    },
  }),
})
