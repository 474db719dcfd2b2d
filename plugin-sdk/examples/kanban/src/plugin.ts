import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'kanban-sample',
  name: 'Kanban',
  description: 'A board of cards, which tells a conversation when somebody else moves its card.',
  permissions: { host: { value: ['notify'], reason: 'Tells the conversation where a card was made when another one moves it.' } },
  toolsets: {
    'kanban-sample': {
      label: 'Kanban',
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  notifiers: {
    'kanban-sample': {
      label: 'Kanban',
      events: ['card.moved', 'card.removed'],
      entry: () => import('./notifier.ts'),
    },
  },
})
