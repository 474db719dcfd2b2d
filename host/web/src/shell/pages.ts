import { type ComponentType, lazy } from 'react'
import type { PanelShown } from '../../../src/dashboard/api.ts'

export const groups = ['Talk', 'Set up', 'Look after', 'Plugins'] as const

/** Where a panel says that it stands. */
export const groupOf: Readonly<Record<PanelShown['group'], (typeof groups)[number]>> = {
  talk: 'Talk',
  'set-up': 'Set up',
  'look-after': 'Look after',
  plugins: 'Plugins',
}

export interface PageEntry {
  readonly id: string
  readonly name: string
  readonly group: (typeof groups)[number]
  readonly view: ComponentType
}

/** Every page: navigation, palette and address follow from this list. Each is loaded when it is opened. */
export const pages: readonly PageEntry[] = [
  page('chat', 'Chat', 'Talk', async () => (await import('../chat/chat-page.tsx')).ChatPage),
  page('sessions', 'Sessions', 'Talk', async () => (await import('../pages/sessions.tsx')).SessionsPage),
  page('terminal', 'Terminal', 'Talk', async () => (await import('../terminal/terminal-page.tsx')).TerminalPage),
  page('start', 'First steps', 'Set up', async () => (await import('../pages/start.tsx')).StartPage),
  page('models', 'Models', 'Set up', async () => (await import('../pages/models.tsx')).ModelsPage),
  page('platforms', 'Platforms', 'Set up', async () => (await import('../pages/platforms.tsx')).PlatformsPage),
  page('people', 'People', 'Set up', async () => (await import('../pages/people.tsx')).PeoplePage),
  page('plugins', 'Plugins', 'Set up', async () => (await import('../pages/plugins.tsx')).PluginsPage),
  page('status', 'Status', 'Look after', async () => (await import('../pages/status.tsx')).StatusPage),
  page('usage', 'Usage', 'Look after', async () => (await import('../pages/usage.tsx')).UsagePage),
  page('profiles', 'Profiles', 'Look after', async () => (await import('../pages/profiles.tsx')).ProfilesPage),
  page('config', 'Config', 'Look after', async () => (await import('../pages/config.tsx')).ConfigPage),
  page('environment', 'Environment', 'Look after', async () => (await import('../pages/environment.tsx')).EnvironmentPage),
]

/** Draws the pages of plugins, which come from `GET panels` and stand in no list here. */
export const panelPage = page('panel', 'Plugin', 'Plugins', async () => (await import('../panels/panel-page.tsx')).PanelPage)

function page(id: string, name: string, group: PageEntry['group'], load: () => Promise<ComponentType>): PageEntry {
  return { id, name, group, view: lazy(async () => ({ default: await load() })) }
}
