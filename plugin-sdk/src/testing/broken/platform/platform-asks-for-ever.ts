import { fail } from '../../../contract/errors.ts'
import { mailbox } from '../sound-platform.ts'

// Breaks `errors`: a wrong token is told like an outage, after which the host connects again and again.
export default mailbox({ refuse: () => fail('PLATFORM_UNREACHABLE', { platform: 'mailbox', detail: 'wrong token' }) })
