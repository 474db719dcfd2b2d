import { expect, test } from 'vitest'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { because } from '#kernel/reasons.ts'
import { listBlockedPlatforms } from './blocked-platforms.ts'

const missing = because('env-missing', { names: 'PAGER_TOKEN', file: '.env' })
const invalid = because('config-invalid', { key: 'platforms.pager.extra.server', problem: 'is missing', missing: true })
const off = because('not-enabled', { plugin: 'platform-pager' })

function list(source: Listed['source'], reason: Listed['reason'], { kind = 'platform', enabled = false } = {}): readonly string[] {
  const state = reason ? 'blocked' : 'ready'
  const plugin = { id: 'platform-pager', source, contributions: [{ kind, id: 'pager', state, reason }] } as unknown as Listed
  const entries = enabled ? { 'platform-pager': { enabled } } : {}
  return listBlockedPlatforms({ plugins: [plugin] }, { plugins: { entries }, platforms: {} } as never)
}

test('a platform that somebody switched on says why it does not run and what helps', () => {
  expect(list('installed', missing)).toEqual([
    'pager: blocked (env-missing): PAGER_TOKEN is not set. To change that: Put PAGER_TOKEN=… into .env.',
  ])
  expect(list('bundled', invalid)).toEqual([
    'pager: blocked (config-invalid): platforms.pager.extra.server is missing. To change that: agent config set platforms.pager.extra.server VALUE',
  ])
  expect(list('bundled', missing, { enabled: true })).toHaveLength(1)
})

test('what runs, what nobody wants and what is no platform is not named', () => {
  expect(list('bundled', missing)).toEqual([])
  expect(list('installed', off)).toEqual([])
  expect(list('installed', undefined)).toEqual([])
  expect(list('installed', missing, { kind: 'toolset' })).toEqual([])
})
