import { expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { listStale, wayToRead } from './stale-variables.ts'

test('names are told whose value came, went or changed, and nothing of the values', () => {
  const gateway = openEnvironment({}, { A_API_KEY: 'old-secret', B: 'same', C: 'gone' })
  const now = openEnvironment({}, { A_API_KEY: 'new-secret', B: 'same', D: 'new' })
  const environmentPrints = gateway.printsOfFile('boot')
  expect(JSON.stringify(environmentPrints)).not.toContain('secret')
  expect(listStale(now, { boot: 'boot', environmentPrints })).toEqual(['A_API_KEY', 'C', 'D'])
  expect(listStale(gateway, { boot: 'boot', environmentPrints })).toEqual([])
  expect(listStale(now, { boot: 'boot' })).toEqual([])
})

test('a reload is enough where no variable waits for a start', () => {
  expect(wayToRead(['A_API_KEY'])).toBe('agent gateway reload')
  expect(wayToRead(['A_API_KEY', 'AGENT_EPHEMERAL_SYSTEM_PROMPT'])).toBe('agent gateway restart')
})
