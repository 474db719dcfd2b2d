import { expect, test } from 'vitest'
import { configJsonSchema } from './config-json-schema.ts'
import { openKeys } from './keys.ts'
import { isTree } from './merge.ts'

const keys = openKeys()
const knows = (key: string): boolean => keys.knows(key.split('.'))

test.each([
  '_config_version',
  'model.provider',
  'model.default',
  'model.base_url',
  'model.api_key',
  'display.interface',
  'display.show_reasoning',
  'display.theme_mode',
  'display.busy_input_mode',
  'checkpoints.enabled',
  'checkpoints.max_snapshots',
  'checkpoints.max_total_size_mb',
  'checkpoints.max_file_size_mb',
  'checkpoints.retention_days',
  'terminal.container_forward_env',
  'terminal.container_mount_cwd_to_workspace',
  'terminal.persistent_shell',
  'terminal.sandbox',
  'terminal.hidden',
  'compression.summary_base_url',
  'auxiliary.compression.provider',
  'auxiliary.vision.base_url',
  'auxiliary.vision.api_key',
  'delegation.base_url',
  'delegation.api_key',
  'code_execution.timeout',
  'code_execution.max_tool_calls',
  'code_execution.kernel_idle_timeout',
  'code_execution.max_session_kernels',
  'web.backend',
  'browser.cdp_url',
  'browser.allow_private_urls',
  'image.backend',
  'context.engine',
  'compression.threshold_tokens',
  'stt.provider',
  'stt.providers.local.model',
  'fallback_model.provider',
  'fallback_model.model',
  'background_process_notifications',
  'memory.write_approval',
  'skills.guard_agent_created',
  'updates.pre_update_backup',
  'updates.backup_keep',
  'updates.non_interactive_local_changes',
  'approvals.mode',
  'security.website_blocklist',
  'platforms.sms.enabled',
  'platforms.sms.home_channel',
  'platforms.teams.extra.client_id',
  'platforms.whatsapp.extra.reply_prefix',
  'platforms.home-assistant.extra.watch_domains',
  'session_reset.mode',
  'session_reset.at_hour',
  'session_reset.idle_minutes',
  'plugins.entries.toolset-files.enabled',
  'plugins.entries.toolset-files.isolation',
  'plugins.entries.toolset-files.config.any.depth',
  'plugins.deny',
  'store.durability',
  'gateway.http.port',
])('%s is a key', (key) => {
  expect(knows(key)).toBe(true)
})

test.each(['', 'displays', 'display.', 'display.interface.more', 'platforms.sms.extras', 'model.constructor', '__proto__', 'toString'])(
  '%j is no key',
  (key) => {
    expect(knows(key)).toBe(false)
  },
)

test.each([
  ['modle.default', 'model.default'],
  ['model.defualt', 'model.default'],
  ['at_hour', 'session_reset.at_hour'],
  ['platforms.sms.enabeld', 'platforms.sms.enabled'],
  ['plugins.entries.x.isolaton', 'plugins.entries.x.isolation'],
  ['stt.providers.local.modle', 'stt.providers.local.model'],
  ['zzzzzzzz', undefined],
])('for %s the nearest key is %s', (key, nearest) => {
  expect(keys.nearest(key.split('.'))).toBe(nearest)
})

test('a key that holds text is known as such', () => {
  expect(keys.takesText(['model', 'default'], 'words')).toBe(true)
  expect(keys.takesText(['display', 'interface'], 'words')).toBe(true)
  expect(keys.takesText(['agent', 'max_turns'], 'words')).toBe(false)
  expect(keys.takesText(['platforms', 'sms', 'extra', 'free'], 'words')).toBe(false)
})

test('the JSON Schema closes every section with a fixed set of names, and lists every key', () => {
  const open: string[] = []
  const visit = (schema: unknown, path: string): void => {
    if (!isTree(schema) || !isTree(schema.properties)) return
    if (schema.additionalProperties !== false) open.push(path)
    for (const [name, property] of Object.entries(schema.properties)) visit(property, `${path}.${name}`)
  }
  visit(configJsonSchema, '')
  expect(open).toEqual([])
  expect(keys.all).toEqual(
    expect.arrayContaining(['display.interface', 'platforms.<id>.enabled', 'platforms.<id>.extra', 'approvals.deny']),
  )
})
