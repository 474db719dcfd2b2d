import { expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { openTestHome } from '../../../test/support/test-home.ts'
import { enablePlatform } from './enable-platform.ts'

test('a platform and its plugin are switched on beside what is set', async () => {
  using home = openTestHome()
  home.write(
    'config.yaml',
    'platforms: { calm: { allow_from: [ann] }, other: {} }\nplugins: { deny: [x], entries: { y: { enabled: false } } }\n',
  )
  const loaded = await loadConfig(openHome({ environment: home.environment }), home.environment)
  const { platforms, plugins } = enablePlatform(loaded, { platform: 'calm', plugin: 'platform-calm' }).config
  expect(platforms).toEqual({ calm: { ...loaded.config.platforms.calm, enabled: true }, other: loaded.config.platforms.other })
  expect(platforms.calm?.allow_from).toEqual(['ann'])
  const extra = { host: 'there' }
  const more = enablePlatform(loaded, { platform: 'calm', plugin: 'platform-calm', extra }).config.platforms.calm
  expect(more).toEqual({ ...platforms.calm, extra: { ...platforms.calm?.extra, host: 'there' } })
  expect(plugins).toMatchObject({ deny: ['x'], entries: { y: { enabled: false }, 'platform-calm': { enabled: true } } })
})
