import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'
import { tools } from './tools.ts'

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
      tools,
      env: ['HASS_TOKEN', 'HASS_URL'],
      entry: () => import('./toolset.ts'),
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
    {
      name: 'HASS_URL',
      secret: false,
      required: false,
      value: 'address',
      prompt: 'Address of Home Assistant (http://homeassistant.local:8123)',
    },
    { name: 'HASS_HOME_CHANNEL', secret: false, required: false, prompt: 'Where the agent reports unasked: ha_events, or notify.<target>' },
  ],
  permissions: {
    net: { value: ['any', 'private'], reason: 'It connects to the Home Assistant that HASS_URL names.' },
  },
})
