import type { Toolset } from '@agent/plugin-sdk'
import { createApi } from '../api.ts'
import { loadSettings } from '../settings.ts'
import { createTools } from './tools.ts'

const toolset: Toolset = {
  async open(context) {
    return { tools: createTools(createApi(context, await loadSettings(context.secrets))) }
  },
}

export default toolset
