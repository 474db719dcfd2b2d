import type { Toolset } from '@agent/plugin-sdk'
import { createApi } from './api.ts'
import { createTools } from './create-tools.ts'
import { loadSettings } from './settings.ts'

const toolset: Toolset = {
  async open(context) {
    return { tools: createTools(createApi(context, await loadSettings(context.secrets))) }
  },
}

export default toolset
