import { mailbox } from '../sound-platform.ts'

// Breaks `errors`: its error has no code.
export default mailbox({ refuse: () => new Error('wrong token') })
