import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const find = z.strictObject({ find: z.string().max(200).default('') })

export default definePlugin({
  id: 'panel-skills',
  name: 'Skills and tools',
  description: 'Shows skills and toolsets in the dashboard, and turns toolsets on and off.',
  panels: {
    skills: {
      label: 'Skills and tools',
      group: 'set-up',
      methods: {
        toolsets: {},
        turnOn: { changes: true },
        turnOff: { changes: true },
        setUp: { changes: true },
        skills: { input: find },
        skill: {},
        instructions: {},
      },
      pages: [
        {
          id: 'all',
          title: 'Skills and tools',
          about: 'What the agent knows how to do, and what it may use for it.',
          blocks: [
            {
              type: 'table',
              title: 'Toolsets',
              from: 'toolsets',
              key: 'id',
              empty: 'No plugin brings tools.',
              fields: [
                { key: 'id', label: 'Toolset' },
                { key: 'state', label: 'State', as: 'badge', tones: { on: 'ok', 'on, of no use': 'warn' } },
                { key: 'about', label: 'What it is' },
                { key: 'tools', label: 'Tools', as: 'code' },
              ],
              actions: [
                { method: 'turnOn', label: 'Turn on', when: 'isOff' },
                { method: 'turnOff', label: 'Turn off', when: 'isOn' },
                { method: 'setUp', label: 'Set up', when: 'canSetUp' },
              ],
            },
            {
              type: 'table',
              title: 'Skills',
              from: 'skills',
              key: 'name',
              opens: 'skill',
              empty: 'There are no skills yet. A skill is a folder with a SKILL.md that tells the agent how something is done.',
              fields: [
                { key: 'name', label: 'Skill' },
                { key: 'state', label: 'State', as: 'badge', tones: { offered: 'ok' } },
                { key: 'about', label: 'What it is for' },
                { key: 'from', label: 'From' },
              ],
            },
          ],
        },
        {
          id: 'skill',
          title: 'Skill',
          blocks: [
            {
              type: 'detail',
              from: 'skill',
              fields: [
                { key: 'name', label: 'Name' },
                { key: 'state', label: 'State', as: 'badge', tones: { offered: 'ok' } },
                { key: 'about', label: 'What it is for' },
                { key: 'from', label: 'From' },
              ],
            },
            { type: 'markdown', title: 'What the agent reads', from: 'instructions' },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: { host: { value: ['skills', 'toolsets'], reason: 'Lists skills and toolsets, and turns toolsets on and off.' } },
})
