import { alterContext } from '../sound-platform.ts'

// Breaks `busy`: what the host cannot take is lost.
export default alterContext((context) => ({
  receive: async (message) => {
    await context.receive(message)
    return { status: 'accepted' }
  },
}))
