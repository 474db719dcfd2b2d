import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'
import { config } from './config.ts'

/** What becomes part of an address is a name and nothing else. */
const name = z.string().regex(/^[a-z_][a-z0-9_]*$/)
const entity = z.string().regex(/^[a-z_][a-z0-9_]*\.[a-z0-9_]+$/)
const reading = { effect: 'read', replaySafe: true, parallel: true, timeoutMs: 15_000 } as const

export default definePlugin({
  id: 'platform-home-assistant',
  name: 'Home Assistant',
  description: 'Tells the agent what happens at home, reports there, and lets it look and switch.',
  platforms: {
    'home-assistant': {
      label: 'Home Assistant',
      door: 'messaging',
      reach: 'people',
      unknownSenders: 'ignore',
      gate: 'source',
      capabilities: {},
      limits: { maxLength: 8000 },
      markup: 'markdown',
      envPrefix: 'HASS',
      promptHint: 'Answers are shown as a notification: one or two sentences about what matters.',
      env: ['HASS_TOKEN', 'HASS_URL', 'HASS_HOME_CHANNEL'],
      config,
      entry: () => import('./connection.ts'),
    },
  },
  toolsets: {
    homeassistant: {
      label: 'Home Assistant',
      tools: {
        ha_list_entities: {
          description: 'List the devices and sensors at home with their states. Narrow it by domain (light, sensor, …) or by a word.',
          parameters: z.strictObject({ domain: name.optional(), search: z.string().max(100).optional() }),
          ...reading,
        },
        ha_get_state: {
          description: 'Show the state of one device or sensor with all its attributes.',
          parameters: z.strictObject({ entity_id: entity }),
          ...reading,
        },
        ha_list_services: {
          description: 'List what can be done at home: the services of a domain with their fields.',
          parameters: z.strictObject({ domain: name.optional() }),
          ...reading,
        },
        ha_call_service: {
          description: 'Do something at home, such as domain light, service turn_on, entity_id light.kitchen, data {"brightness_pct": 40}.',
          parameters: z.strictObject({
            domain: name,
            service: name,
            entity_id: entity.optional(),
            data: z.record(z.string(), z.unknown()).optional(),
          }),
          effect: 'external',
          timeoutMs: 30_000,
        },
      },
      env: ['HASS_TOKEN', 'HASS_URL'],
      entry: () => import('./tools/toolset.ts'),
    },
  },
  env: [
    {
      name: 'HASS_TOKEN',
      secret: true,
      required: true,
      prompt: 'Long-lived access token of the user that the agent is',
      url: 'https://www.home-assistant.io/docs/authentication/#your-account-profile',
    },
    { name: 'HASS_URL', secret: false, required: false, prompt: 'Address of Home Assistant (http://homeassistant.local:8123)' },
    { name: 'HASS_HOME_CHANNEL', secret: false, required: false, prompt: 'Where the agent reports unasked: ha_events, or notify.<target>' },
  ],
  permissions: {
    net: { value: 'any', reason: 'It connects to the Home Assistant that HASS_URL names.' },
  },
})
