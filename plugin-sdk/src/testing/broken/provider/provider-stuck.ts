import { parrot, speak } from '../sound-provider.ts'

// Breaks `abort`: it waits for something that ignores the signal.
export default parrot(async function* (request, call) {
  if (request.model !== 'endless') {
    yield* speak(request, call)
    return
  }
  yield { type: 'text', delta: 'Wait.' }
  await new Promise(() => undefined)
})
