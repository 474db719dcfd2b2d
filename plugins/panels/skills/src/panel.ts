import type { Panel, PanelAnswer, PanelRecord, PanelRequest, SkillSummary } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createHubMethods } from './hub.ts'
import { createProposalMethods } from './proposals.ts'

type Host = Parameters<Panel['open']>[0]
type Toolset = Awaited<ReturnType<Host['toolsets']['list']>>[number]
type Method = (request: PanelRequest) => Promise<PanelAnswer>

const panel: Panel = {
  async open({ skills, skillHub, skillProposals, toolsets }) {
    const methods: Readonly<Record<string, Method>> = {
      ...createHubMethods(skillHub),
      ...createProposalMethods(skillProposals),
      toolsets: async () => ({ rows: (await toolsets.list()).map(showToolset) }),
      turnOn: async ({ item = '' }) => ({ said: (await toolsets.turn(item, 'on')).join(' ') }),
      setUp: async ({ item = '' }) => ({ said: (await toolsets.setUp(item)).join(' ') }),
      turnOff: async ({ item = '' }) => ({ said: (await toolsets.turn(item, 'off')).join(' ') }),
      skills: async ({ input }) => {
        const words = String(input.find).trim().toLowerCase()
        const found = (await skills.list({ all: true })).filter(({ name, description }) =>
          `${name} ${description}`.toLowerCase().includes(words),
        )
        return { rows: found.map(showSkill) }
      },
      skill: async ({ item = '' }) => {
        const skill = (await skills.list({ all: true })).find(({ name }) => name === item)
        if (!skill) throw fail('SKILL_NOT_FOUND', { skill: item })
        return { item: showSkill(skill) }
      },
      instructions: async ({ item = '' }) => ({ text: await skills.view({ name: item }) }),
    }
    return { run: async (request) => (methods[request.method] as Method)(request) }
  },
}

export default panel

function showToolset({ id, description, enabled, problem, setUp, tools }: Toolset): PanelRecord {
  const state = !enabled ? 'off' : problem === undefined ? 'on' : 'on, of no use'
  const about = [problem ?? description, setUp === undefined ? '' : `Set-up: ${setUp}`].filter(Boolean).join(' ')
  const names = tools.map(({ name }) => name).join(' ')
  return { id, state, about, tools: names, isOn: enabled, isOff: !enabled, canSetUp: enabled && setUp !== undefined }
}

function showSkill({ name, description, plugin, lacks }: SkillSummary): PanelRecord {
  const state = lacks === undefined ? 'offered' : 'not offered'
  const about = [description, lacks === undefined ? '' : `It ${lacks}.`].filter((part) => part !== '').join(' ')
  return { name, state, about, from: plugin ?? 'home' }
}
