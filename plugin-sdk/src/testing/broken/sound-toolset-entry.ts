import { box } from './sound-toolset.ts'

export default box()
