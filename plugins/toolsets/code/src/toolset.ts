import type { Toolset } from '@agent/plugin-sdk'
import type { CodeConfig } from './config.ts'
import { createExecuteCode } from './execute-code.ts'
import { createInterpreters } from './interpreter/interpreters.ts'

const toolset: Toolset<CodeConfig> = {
  async open(context) {
    const { config, sandbox, clock, signal } = context
    const interpreters = createInterpreters({ clock, most: config.max_session_kernels, idleMs: config.kernel_idle_timeout * 1000 })
    context.effect(() => interpreters.close())
    return { tools: { execute_code: createExecuteCode({ config, sandbox, clock, interpreters, life: signal }) } }
  },
}

export default toolset
