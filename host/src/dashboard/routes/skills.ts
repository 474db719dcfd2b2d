import * as z from 'zod/mini'
import { switchPlugin } from '#rpc/plugins/switch-plugin.ts'
import { openSkills } from '#rpc/skills/open-home-skills.ts'
import { readToolsets } from '#rpc/tools/read-toolsets.ts'
import { requireSetUp } from '#rpc/tools/set-up-tools.ts'
import type { Action, Changed, SkillList, ToolsetList } from '../api.ts'
import type { Actions } from '../server/actions.ts'
import { nothing, type Router } from '../server/router.ts'

const id = z.string().check(z.minLength(1), z.maxLength(200))
const wanted = z.strictObject({ id, enabled: z.boolean() })
const named = z.strictObject({ id })

/** What the agent knows how to do, and what it may use for it. */
export function addSkills(router: Router, actions: Actions): void {
  router.add({
    ...{ method: 'GET', url: '/api/skills', takes: nothing },
    answer: async ({ context }): Promise<SkillList> => {
      const { skills } = await (await openSkills(context)).index()
      return { skills: skills.map(({ name, description, plugin = 'home', offered }) => ({ name, description, from: plugin, offered })) }
    },
  })
  router.add({
    ...{ method: 'GET', url: '/api/tools/toolsets', takes: nothing },
    answer: async ({ context }): Promise<ToolsetList> => ({ toolsets: await readToolsets(context) }),
  })
  router.add({
    ...{ method: 'PUT', url: '/api/tools/toolsets', takes: wanted },
    answer: async ({ context, input: { id, enabled } }): Promise<Changed> => {
      const { said, live } = await switchPlugin(context, `toolset:${id}`, enabled ? 'on' : 'off')
      return { said, live }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/tools/toolsets/set-up', takes: named },
    answer: async ({ context, input: { id } }): Promise<Action> => {
      await requireSetUp(context, id)
      return actions.start(context, 'tools-set-up', ['tools', 'set-up', id])
    },
  })
}
