import type { Platform } from '../../../kinds/platform.ts'
import { mailbox } from '../sound-platform.ts'

// Breaks `abort`: it goes on connecting when it is told to stop.
const platform: Platform<{ readonly port: number }> = {
  connect: (context, call) => mailbox().connect(context, { ...call, signal: new AbortController().signal }),
}

export default platform
