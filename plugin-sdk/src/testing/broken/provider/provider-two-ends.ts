import { parrot, speak } from '../sound-provider.ts'

// Breaks `ending`: it says goodbye twice.
export default parrot(async function* (request, call) {
  for await (const event of speak(request, call)) {
    yield event
    if (event.type === 'end') yield event
  }
})
