import { fail } from '../../../contract/errors.ts'
import { alterContext } from '../sound-platform.ts'

// Breaks `settings`: without its token it is told like an outage, and asks for ever.
export default alterContext(({ secrets }) => ({
  secrets: {
    ...secrets,
    get: async (name) => {
      const value = await secrets.find(name)
      if (value === undefined) throw fail('PLATFORM_UNREACHABLE', { platform: 'mailbox', detail: 'there is no token' })
      return value
    },
  },
}))
