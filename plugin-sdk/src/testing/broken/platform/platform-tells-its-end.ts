import { mailbox } from '../sound-platform.ts'

// Breaks `closed`: the gateway has ended it and is told that the connection was lost.
export default mailbox({
  connection: ({ close }, { lost }) => ({
    close: async (call) => {
      await close(call)
      lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: { platform: 'mailbox', detail: 'it was closed' } } })
    },
  }),
})
