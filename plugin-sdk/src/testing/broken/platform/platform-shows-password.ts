import { fail } from '../../../contract/errors.ts'
import { mailbox } from '../sound-platform.ts'

// Breaks `errors`: the token that was refused stands in the error.
export default mailbox({ refuse: () => fail('PLATFORM_AUTH', { platform: 'mailbox', detail: 'nobody has the token wrong-token' }) })
