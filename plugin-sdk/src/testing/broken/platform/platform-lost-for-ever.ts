import { alterContext } from '../sound-platform.ts'

// Breaks `lost`: a broken line is told like a wrong password, after which nobody connects again.
export default alterContext(({ lost }) => ({
  lost: () => lost({ retryable: true, error: { code: 'PLATFORM_AUTH', params: { platform: 'mailbox', detail: 'the line is dead' } } }),
}))
