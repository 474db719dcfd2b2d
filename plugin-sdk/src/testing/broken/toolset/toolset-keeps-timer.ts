import { box } from '../sound-toolset.ts'

// Breaks `life`: each opening leaves a timer that nobody stops. Seen only where the plugin has a separate process.
const sound = box()
export default {
  open: async (...given: Parameters<typeof sound.open>) => {
    setInterval(() => undefined, 60_000)
    return await sound.open(...given)
  },
}
