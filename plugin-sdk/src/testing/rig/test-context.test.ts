import { expect, test } from 'vitest'
import type { ToolContext } from '../../contract/context.ts'
import { manifestSchema } from '../../kinds/manifest.ts'
import { openTestContext } from './test-context.ts'

test('an event is raised by who may, and where a notifier of the plugin hears it', async () => {
  const about = { manifestVersion: 1, id: 'lamp', name: 'Lamp', description: 'A lamp.', version: '1.0.0', license: 'MIT', api: {} }
  const contributes = { notifiers: [{ id: 'lamp', entry: 'dist/lamp.js', label: 'Lamp', events: ['lamp.out'] }] }
  const open = (host: readonly string[]) => {
    const manifest = manifestSchema.parse({ ...about, contributes, permissions: { host: { value: host, reason: 'Tells.' } } })
    const { context, raised } = openTestContext({ manifest, contribution: 'lamp', config: {} })
    return { raise: (name: string) => (context as ToolContext).raise({ name, data: null }), raised }
  }
  const lamp = open(['notify'])
  await lamp.raise('lamp.out')
  await expect(lamp.raise('lamp.lit')).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED', params: { access: 'the event lamp.lit' } })
  expect(lamp.raised).toEqual([{ name: 'lamp.out', data: null }])
  await expect(open([]).raise('lamp.out')).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED', params: { access: 'notify' } })
})
