import type { ArgsOf, ToolRun, Toolset } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { failure } from './failure.ts'
import { type BrowserTool, runs } from './runs.ts'
import { createTabs } from './tabs.ts'
import type { tools } from './tools.ts'

type Runs = { readonly [Name in BrowserTool]: ToolRun<ArgsOf<typeof tools, Name>> }

const toolset: Toolset<Config> = {
  async open(context) {
    const tabs = createTabs(context)
    context.effect(() => tabs.close())
    const run =
      <Name extends BrowserTool>(name: Name): ToolRun<ArgsOf<typeof tools, Name>> =>
      async (toolCall, call) => {
        try {
          return await runs[name]({ toolCall, call, tabs, context })
        } catch (error) {
          call.signal.throwIfAborted()
          return failure(name, error)
        } finally {
          tabs.rest(toolCall.session)
        }
      }
    const names = Object.keys(runs) as BrowserTool[]
    return { tools: Object.fromEntries(names.map((name) => [name, run(name)])) as unknown as Runs }
  },
}

export default toolset
