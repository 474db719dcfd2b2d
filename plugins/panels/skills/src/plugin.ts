import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const find = z.strictObject({ find: z.string().max(200).default('') })
const source = z.strictObject({
  source: z
    .string()
    .min(1)
    .max(500)
    .meta({ title: 'Source', description: 'git+https://… with #branch, tag or commit, https://HOST, npm:PACKAGE or file:/PATH.tgz' }),
})
const verdicts = { safe: 'ok', caution: 'warn', dangerous: 'bad', 'no skill': 'bad' } as const
const states = { 'an older one': 'warn', 'the same': 'ok', edited: 'warn', missing: 'bad' } as const

export default definePlugin({
  id: 'panel-skills',
  name: 'Skills and tools',
  description: 'Shows skills and toolsets in the dashboard, turns toolsets on and off, and brings skills of others.',
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
        proposals: {},
        proposal: {},
        difference: {},
        approve: { changes: true },
        reject: { changes: true },
        installed: {},
        installedSkill: {},
        check: { changes: true },
        update: { changes: true },
        remove: { changes: true },
        removeEdited: { changes: true },
        look: { changes: true, input: source },
        offered: {},
        offer: {},
        install: { changes: true },
        installAgreed: { changes: true },
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
            {
              type: 'table',
              title: 'What the agent wants to change',
              from: 'proposals',
              key: 'id',
              opens: 'proposal',
              empty: 'No change of a skill waits for you.',
              fields: [
                { key: 'change', label: 'Change' },
                { key: 'for', label: 'For' },
                { key: 'at', label: 'Since', as: 'time' },
              ],
            },
            {
              type: 'table',
              title: 'Skills of others',
              from: 'installed',
              key: 'name',
              opens: 'installed',
              empty: 'No skill was installed from a source. Look at one below.',
              fields: [
                { key: 'name', label: 'Skill' },
                { key: 'state', label: 'It is', as: 'badge', tones: states },
                { key: 'verdict', label: 'Scanner', as: 'badge', tones: verdicts },
                { key: 'source', label: 'Source', as: 'code' },
              ],
              actions: [
                { method: 'check', label: 'Check' },
                { method: 'update', label: 'Update', when: 'canUpdate' },
              ],
            },
            { type: 'form', title: 'Look at skills of others', submit: 'look', label: 'Look' },
            {
              type: 'table',
              title: 'What was looked at',
              from: 'offered',
              key: 'item',
              opens: 'offer',
              empty: 'No source was looked at yet. Nothing is installed by a look.',
              fields: [
                { key: 'name', label: 'Skill' },
                { key: 'verdict', label: 'Scanner', as: 'badge', tones: verdicts },
                { key: 'findings', label: 'What it found' },
                { key: 'about', label: 'What it is for' },
              ],
            },
          ],
        },
        {
          id: 'proposal',
          title: 'Change of a skill',
          about: 'What the agent wants to change, and what would be different.',
          blocks: [
            {
              type: 'detail',
              from: 'proposal',
              fields: [
                { key: 'change', label: 'Change' },
                { key: 'for', label: 'For' },
                { key: 'at', label: 'Since', as: 'time' },
                { key: 'id', label: 'Id', as: 'code' },
              ],
              actions: [
                {
                  method: 'approve',
                  label: 'Make it',
                  confirm: 'What stands below comes to be in your skills, which everybody who talks to the agent works by.',
                },
                { method: 'reject', label: 'Drop it', confirm: 'The change is forgotten.' },
              ],
            },
            { type: 'markdown', from: 'difference' },
          ],
        },
        {
          id: 'installed',
          title: 'Installed skill',
          about: 'Somebody else wrote it.',
          blocks: [
            {
              type: 'detail',
              from: 'installedSkill',
              fields: [
                { key: 'name', label: 'Name' },
                { key: 'state', label: 'It is', as: 'badge', tones: states },
                { key: 'verdict', label: 'Scanner', as: 'badge', tones: verdicts },
                { key: 'findings', label: 'What it found' },
                { key: 'source', label: 'Source', as: 'code' },
                { key: 'version', label: 'Version', as: 'code' },
                { key: 'installedAt', label: 'Installed', as: 'time' },
              ],
              actions: [
                { method: 'check', label: 'Check' },
                { method: 'update', label: 'Update', when: 'canUpdate' },
                { method: 'remove', label: 'Remove', when: 'isPlain', confirm: 'Its files are deleted.' },
                {
                  method: 'removeEdited',
                  label: 'Remove',
                  when: 'isEdited',
                  confirm: 'You have edited it. What you have written goes too.',
                },
              ],
            },
            { type: 'markdown', title: 'What the agent reads', from: 'instructions' },
          ],
        },
        {
          id: 'offer',
          title: 'Skill of others',
          about: 'Instructions, and perhaps scripts, that somebody else wrote and the agent would follow.',
          blocks: [
            {
              type: 'detail',
              from: 'offer',
              fields: [
                { key: 'name', label: 'Name' },
                { key: 'about', label: 'What it is for' },
                { key: 'verdict', label: 'Scanner', as: 'badge', tones: verdicts },
                { key: 'findings', label: 'What it found' },
                { key: 'source', label: 'Source', as: 'code' },
                { key: 'version', label: 'Version', as: 'code' },
                { key: 'files', label: 'Files', as: 'code' },
                { key: 'advice', label: 'What you can do' },
              ],
              actions: [
                {
                  method: 'install',
                  label: 'Install',
                  when: 'isSafe',
                  confirm: 'The agent follows it from the next session on. It was written by somebody else.',
                },
                {
                  ...{ method: 'installAgreed', label: 'Install all the same', when: 'isCaution' },
                  confirm: 'The scanner wants a person to look at what stands above. Have you looked, and do you agree to it?',
                },
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
  permissions: {
    host: {
      value: ['skills', 'skills.install', 'skills.approve', 'toolsets'],
      reason:
        'Lists skills and toolsets, turns toolsets on and off, and installs skills of others and makes what the agent proposes when you agree.',
    },
  },
})
