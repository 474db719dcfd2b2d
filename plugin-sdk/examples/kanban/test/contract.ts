import type { NotifierWorld, ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suites do with the tools and with the notifier. */
export async function openWorld(): Promise<ToolsetWorld & NotifierWorld> {
  const card = { number: 1, title: 'paint the fence' }
  return {
    config: {},
    workspace: '/',
    good: [
      { tool: 'kanban_create', args: { title: 'paint the fence' } },
      { tool: 'kanban_list', args: {} },
      { tool: 'kanban_move', args: { card: '1', column: 'doing' } },
      { tool: 'kanban_remove', args: { card: '1' } },
    ],
    failing: { tool: 'kanban_move', args: { card: '9', column: 'done' } },
    events: [
      { name: 'card.moved', data: { ...card, column: 'done' } },
      { name: 'card.removed', data: card },
    ],
    [Symbol.asyncDispose]: async () => undefined,
  }
}
