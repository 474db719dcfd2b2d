import type { ArgsOf, ToolCall, ToolResult, ToolRun, Toolset } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { writingTools } from './tools.ts'

type SkillChange = Parameters<NonNullable<ToolCall['skills']>['change']>[0]
type Wish = ArgsOf<typeof writingTools, 'skill_manage'>

const toolset: Toolset = {
  async open() {
    const manage: ToolRun<Wish> = async ({ args, skills }): Promise<ToolResult> => {
      try {
        if (!skills)
          throw fail('PLUGIN_UNDECLARED', { plugin: 'toolset-skills', access: 'skills', field: '"skills.write" in permissions.host' })
        const { waits } = await skills.change(readChange(args))
        const text =
          waits === undefined
            ? `Done: ${args.action} ${args.name}.`
            : `It waits for the approval of a person as ${waits}; until then nothing has changed.`
        return { ok: true, text }
      } catch (error) {
        return { ok: false, error: toWireError(error) }
      }
    }
    return { tools: { skill_manage: manage } }
  },
}

export default toolset

const skillFile = 'SKILL.md'

function readChange(args: Wish): SkillChange {
  const { action, name: skill, category, file_path: file } = args
  const need = <Value>(key: keyof Wish, value: Value | undefined): Value => {
    if (value === undefined) throw fail('TOOL_ARGUMENTS', { tool: 'skill_manage', problem: `${action} needs ${key}` })
    return value
  }
  switch (action) {
    case 'create':
      return { action, skill, text: need('content', args.content), ...(category === undefined ? {} : { category }) }
    case 'edit':
      return { action: 'write', skill, file: skillFile, text: need('content', args.content) }
    case 'patch':
      return { action, skill, file: file ?? skillFile, old: need('old_string', args.old_string), text: need('new_string', args.new_string) }
    case 'write_file':
      return { action: 'write', skill, file: need('file_path', file), text: need('file_content', args.file_content) }
    case 'remove_file':
      return { action: 'remove', skill, file: need('file_path', file) }
    case 'delete':
      return { action, skill }
  }
}
