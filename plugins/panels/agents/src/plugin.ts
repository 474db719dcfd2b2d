import { definePlugin } from '@agent/plugin-sdk'

export default definePlugin({
  id: 'panel-agents',
  name: 'Child agents',
  description: 'Shows in the dashboard which child agents work, and what became of others.',
  panels: {
    agents: {
      label: 'Child agents',
      group: 'look-after',
      methods: { agents: {}, stop: { changes: true } },
      pages: [
        {
          id: 'all',
          title: 'Child agents',
          about: 'Those that work now, and the last ones that ended. Those of one parent stand below each other.',
          refreshSeconds: 5,
          blocks: [
            {
              type: 'table',
              from: 'agents',
              key: 'id',
              empty: 'No child agent has worked yet. The agent hands tasks to them where that helps, or where you ask for it.',
              fields: [
                { key: 'task', label: 'Task' },
                { key: 'state', label: 'State', as: 'badge', tones: { works: 'ok', interrupted: 'warn', max_iterations: 'warn' } },
                { key: 'for', label: 'For' },
                { key: 'doing', label: 'Does' },
                { key: 'model', label: 'Model', as: 'code' },
                { key: 'tokens', label: 'Tokens', as: 'number' },
                { key: 'startedAt', label: 'Since', as: 'time' },
              ],
              actions: [{ method: 'stop', label: 'Stop', when: 'isWorking', confirm: 'It is interrupted; its parent goes on.' }],
            },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: { host: { value: ['agents'], reason: 'Lists child agents, and stops one when you say so.' } },
})
