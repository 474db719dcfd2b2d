import { mailbox } from '../sound-platform.ts'

// Breaks `shape`: it has a method that the manifest does not declare.
export default mailbox({ connection: () => ({ edit: async () => ({ status: 'sent', platformId: '1' }) }) })
