import { alterContext } from '../sound-platform.ts'

// Breaks `inbound`: a message does not say which account received it.
export default alterContext((context) => ({ receive: (message) => context.receive({ ...message, account: '' }) }))
