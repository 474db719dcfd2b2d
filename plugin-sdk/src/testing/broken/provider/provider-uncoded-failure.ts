import { parrot, speak } from '../sound-provider.ts'

// Breaks `errors`: a failure whose code nobody knows.
export default parrot(async function* (request, call) {
  for await (const event of speak(request, call)) {
    yield event.type === 'failed' ? { ...event, error: { code: 'oops, 500', params: {} } } : event
  }
})
