import { mailbox } from '../sound-platform.ts'

// Breaks `identity`: it does not know who it is.
export default mailbox({ connection: () => ({ identity: async () => ({ id: '', name: '' }) }) })
