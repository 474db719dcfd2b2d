import { mailbox } from '../sound-platform.ts'

// Breaks `limits`: it says that it takes 4000 characters, and drops what is behind the first thousand.
export default mailbox({
  connection: ({ send }) => ({
    send: async (message, call) =>
      (await send?.({ ...message, text: message.text.slice(0, 1000) }, call)) ?? { status: 'sent', platformId: '1' },
  }),
})
