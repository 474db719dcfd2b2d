import { mailbox } from '../sound-platform.ts'

// Breaks `reception`: it has always just heard something.
export default mailbox({ connection: (_sound, { clock }) => ({ lastHeard: async () => clock.now() }) })
