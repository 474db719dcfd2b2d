import { box } from '../sound-toolset.ts'

// Breaks `shape`: the manifest promises a tool that is not there.
export default box({ count: undefined })
