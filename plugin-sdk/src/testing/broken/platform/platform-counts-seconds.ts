import { alterContext } from '../sound-platform.ts'

// Breaks `inbound`: the time of a message is in seconds.
export default alterContext((context) => ({
  receive: (message) => context.receive({ ...message, sentAt: Math.round(context.clock.now() / 1000) }),
}))
