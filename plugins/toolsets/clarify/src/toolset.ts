import type { Toolset } from '@agent/plugin-sdk'
import { clarify } from './clarify.ts'

const toolset: Toolset = {
  async open() {
    return { tools: { clarify } }
  },
}

export default toolset
