import type { ToolsetWorld } from '@agent/plugin-sdk/testing'

const skill = '---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n'

/** What the contract suite does with both toolsets. The host of the tests has one skill. */
export async function openWorld(contribution: string): Promise<ToolsetWorld> {
  return {
    ...(contribution === 'skills' ? reading : writing),
    ...{ config: {}, workspace: '/', [Symbol.asyncDispose]: async () => undefined },
  }
}

const reading: Pick<ToolsetWorld, 'good' | 'failing'> = {
  good: [
    { tool: 'list_skills', args: {} },
    { tool: 'skill_view', args: { name: 'greeting' } },
  ],
  failing: { tool: 'skill_view', args: { name: 'no-such-skill' } },
}

const writing: Pick<ToolsetWorld, 'good' | 'failing'> = {
  good: [
    { tool: 'skill_manage', args: { action: 'create', name: 'tea', content: skill, category: 'kitchen' } },
    { tool: 'skill_manage', args: { action: 'write_file', name: 'greeting', file_path: 'references/words.md', file_content: 'Hello' } },
  ],
  failing: { tool: 'skill_manage', args: { action: 'delete', name: 'no-such-skill' } },
}
