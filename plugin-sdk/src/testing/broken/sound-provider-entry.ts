import { parrot } from './sound-provider.ts'

export default parrot()
