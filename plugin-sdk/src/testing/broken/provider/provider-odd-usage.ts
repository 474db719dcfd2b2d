import { parrot, speak } from '../sound-provider.ts'

// Breaks `usage`: there are no half tokens.
export default parrot(async function* (request, call) {
  for await (const event of speak(request, call)) yield event.type === 'end' ? { ...event, usage: { ...event.usage, input: 0.5 } } : event
})
