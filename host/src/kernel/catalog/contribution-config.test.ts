import { expect, test } from 'vitest'
import type { Contribution } from './catalog.ts'
import { readContributionConfig } from './contribution-config.ts'

const configSchema = {
  type: 'object',
  properties: { timeout: { type: 'integer', default: 180 }, shell: { type: 'boolean', default: true } },
  required: ['timeout', 'shell'],
  additionalProperties: false,
}

function settingsOf(value: unknown, block: unknown): Promise<unknown> {
  const plugin = { manifest: { id: 'toolset-note' } }
  const settings = { key: 'plugins.entries.toolset-note.config', value, block }
  return readContributionConfig({ kind: 'toolset', id: 'note', plugin, spec: { configSchema }, settings } as unknown as Contribution)
}

test('a toolset takes from its block what it knows, and its own settings beat the block', async () => {
  expect(await settingsOf(undefined, { timeout: 30, backend: 'local' })).toEqual({ timeout: 30, shell: true })
  expect(await settingsOf({ timeout: 5 }, { timeout: 30, shell: false })).toEqual({ timeout: 5, shell: false })
})

test('without a schema a platform has what is written for it, and a toolset what its plugin allows', async () => {
  const settings = { key: 'x', value: { timeout: 5, port: 'any' } }
  const read = (kind: string): Promise<unknown> =>
    readContributionConfig({ kind, id: 'note', plugin: { manifest: { id: 'note', configSchema } }, spec: {}, settings } as never)
  expect(await read('platform')).toEqual({ timeout: 5, port: 'any' })
  await expect(read('toolset')).rejects.toMatchObject({ code: 'PLUGIN_BLOCKED', message: expect.stringContaining('port') })
})

test('an unknown key in its own settings is refused by name', async () => {
  await expect(settingsOf({ tiemout: 5 }, {})).rejects.toThrow(
    expect.objectContaining({ code: 'PLUGIN_BLOCKED', message: expect.stringContaining('tiemout') }),
  )
})
