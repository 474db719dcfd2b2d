import type { PlatformWorld, ToolsetWorld } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openHomeServer } from './home-server.ts'
import { troublesOf } from './troubles.ts'

/** What the contract suite does with the platform and with the toolset. */
export async function openWorld(contribution: string): Promise<PlatformWorld | ToolsetWorld> {
  const light = { entity_id: 'light.kitchen', state: 'on', attributes: { friendly_name: 'Kitchen', brightness: 180 } }
  const home = await openHomeServer({ token: 'right-token', states: [light] })
  const { url } = home.server
  const secretsWith = (HASS_TOKEN: string, HASS_URL = url) => ({ HASS_TOKEN, HASS_URL })
  const secrets = secretsWith('right-token')
  const dispose = { [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() }
  if (contribution === 'homeassistant') {
    return {
      ...{ config: {}, secrets, workspace: '/' },
      good: [
        { tool: 'ha_list_entities', args: { domain: 'light' } },
        { tool: 'ha_get_state', args: { entity_id: 'light.kitchen' } },
        { tool: 'ha_list_services', args: {} },
        { tool: 'ha_call_service', args: { domain: 'light', service: 'turn_on', entity_id: 'light.kitchen' } },
      ],
      failing: { tool: 'ha_get_state', args: { entity_id: 'light.none' } },
      hanging: { tool: 'ha_get_state', args: { entity_id: 'light.hanging' } },
      ...dispose,
    }
  }
  const settings = config.parse({ watch_domains: ['light'] })
  return {
    config: settings,
    secrets,
    account: url.replace('http://', ''),
    conversation: 'ha_events',
    refused: { config: settings, secrets: secretsWith('wrong-token') },
    silent: { config: settings, secrets: secretsWith('right-token', `${url}/silence`) },
    sent: () => [...home.notifications.values()],
    receiveOne: async (text) => home.fire('agent_message', { text }),
    disturb: (what) => troublesOf(home).disturb(what),
    cut: async () => home.server.cut(),
    ...dispose,
  }
}
