import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

/** What becomes part of an address is a name and nothing else. */
const name = z.string().regex(/^[a-z_][a-z0-9_]*$/)
const entity = z.string().regex(/^[a-z_][a-z0-9_]*\.[a-z0-9_]+$/)
const reading = { effect: 'read', replaySafe: true, parallel: true, timeoutMs: 15_000 } as const

export const tools = defineTools({
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
})
