import { alterContext } from '../sound-platform.ts'

// Breaks `lost`: nobody is told when the connection breaks.
export default alterContext(() => ({ lost: () => undefined }))
