import type { ArgsOf, ToolResult, ToolRun, Toolset } from '@agent/plugin-sdk'
import { toWireError } from '@agent/plugin-sdk/errors'
import type { tools } from './tools.ts'

type Arguments<Tool extends 'list_skills' | 'skill_view'> = ArgsOf<typeof tools, Tool>

const toolset: Toolset = {
  async open({ skills }) {
    const list: ToolRun<Arguments<'list_skills'>> = ({ args }) =>
      answer(async () => {
        const all = await skills.list()
        const wanted = all.filter(({ category }) => args.category === undefined || category === args.category)
        return wanted.map(formatSkill).join('\n') || 'There are no skills.'
      })
    const view: ToolRun<Arguments<'skill_view'>> = ({ args, session }) => answer(() => skills.view({ ...args, session }))
    return { tools: { list_skills: list, skill_view: view } }
  },
}

export default toolset

async function answer(read: () => Promise<string>): Promise<ToolResult> {
  try {
    return { ok: true, text: await read() }
  } catch (error) {
    return { ok: false, error: toWireError(error) }
  }
}

function formatSkill({ name, description, category }: { name: string; description: string; category?: string }): string {
  return `${name}${category === undefined ? '' : ` (${category})`}: ${description}`
}
