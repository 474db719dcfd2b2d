import type { Toolset } from '@agent/plugin-sdk'
import type { CodeConfig } from './config.ts'
import { createExecuteCode } from './execute-code.ts'

const toolset: Toolset<CodeConfig> = {
  async open({ config, sandbox, clock, signal }) {
    return { tools: { execute_code: createExecuteCode({ config, sandbox, clock, life: signal }) } }
  },
}

export default toolset
