import { alterContext } from '../sound-platform.ts'

// Breaks `busy`: what had to wait is offered once more after it was taken.
export default alterContext(({ receive }) => {
  const waiting = new Set<string>()
  return {
    receive: async (message) => {
      const answer = await receive(message)
      if (answer.status === 'busy') waiting.add(message.id)
      else if (waiting.delete(message.id)) await receive(message)
      return answer
    },
  }
})
