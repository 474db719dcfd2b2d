import { parrot, speak } from '../sound-provider.ts'

// Breaks `calls`: two calls cannot be told apart.
export default parrot(async function* (request, call) {
  for await (const event of speak(request, call)) yield event.type === 'call' ? { ...event, id: 'call_0' } : event
})
