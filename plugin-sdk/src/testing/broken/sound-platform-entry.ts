import { mailbox } from './sound-platform.ts'

export default mailbox()
