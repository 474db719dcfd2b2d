import { mailbox } from '../sound-platform.ts'

// Breaks `secrets`: the token is in the log.
export default mailbox({ connected: ({ log }, token) => log.info('connected', { with: `token ${token}` }) })
