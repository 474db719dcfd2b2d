import type { Toolset } from '@agent/plugin-sdk'
import type { TerminalConfig } from './config.ts'
import { createProcess } from './process.ts'
import { createProcesses } from './processes.ts'
import { createShellStates } from './shell-state.ts'
import { createTerminal } from './terminal.ts'

const toolset: Toolset<TerminalConfig> = {
  async open(context) {
    const { clock, config } = context
    const states = createShellStates()
    const processes = createProcesses(clock, (notice) => context.notify(notice))
    context.effect(() => processes.close())
    const terminal = createTerminal({ config, states, processes, clock, sandbox: context.sandbox })
    return { tools: { terminal, process: createProcess(processes, clock) } }
  },
}

export default toolset
