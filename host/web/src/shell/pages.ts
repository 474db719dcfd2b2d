import { type ComponentType, lazy } from 'react'

export interface PageEntry {
  readonly id: string
  readonly name: string
  readonly group: 'Talk' | 'Set up' | 'Look after'
  readonly view: ComponentType
}

/** Every page: navigation, palette and address follow from this list. Each is loaded when it is opened. */
export const pages: readonly PageEntry[] = [
  page('chat', 'Chat', 'Talk', async () => (await import('../chat/chat-page.tsx')).ChatPage),
  page('status', 'Status', 'Look after', async () => (await import('../pages/status.tsx')).StatusPage),
  page('platforms', 'Platforms', 'Set up', async () => (await import('../pages/platforms.tsx')).PlatformsPage),
]

function page(id: string, name: string, group: PageEntry['group'], load: () => Promise<ComponentType>): PageEntry {
  return { id, name, group, view: lazy(async () => ({ default: await load() })) }
}
