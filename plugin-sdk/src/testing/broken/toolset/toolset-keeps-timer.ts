import { box } from '../sound-toolset.ts'

// Breaks `life`: each opening leaves a timer that nobody stops. Seen only where the plugin has a process of its own.
const sound = box()
export default {
  open: async (...given: Parameters<typeof sound.open>) => {
    setInterval(() => undefined, 60_000)
    return await sound.open(...given)
  },
}
