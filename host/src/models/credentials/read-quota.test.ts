import { expect, test } from 'vitest'
import { readQuota } from './read-quota.ts'

const now = Date.parse('2026-11-24T00:00:00Z')

test.each<[string, Record<string, string>, ReturnType<typeof readQuota>]>([
  ['nothing', { 'content-type': 'text/plain' }, undefined],
  ['a limit of nothing', { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' }, undefined],
  [
    'the smaller of two limits',
    {
      ...{ 'x-ratelimit-limit-requests': '10', 'x-ratelimit-remaining-requests': '9' },
      ...{ 'x-ratelimit-limit-tokens': '100', 'x-ratelimit-remaining-tokens': '40' },
    },
    { left: 0.4, until: now + 60_000 },
  ],
  [
    'a limit with the date of its end',
    {
      ...{ 'anthropic-ratelimit-requests-limit': '50', 'anthropic-ratelimit-requests-remaining': '0' },
      'anthropic-ratelimit-requests-reset': '2026-11-24T00:00:12Z',
    },
    { left: 0, until: now + 12_000 },
  ],
  [
    'what is used of the window of a plan',
    { 'x-codex-primary-used-percent': '75', 'x-codex-primary-reset-after-seconds': '3600', 'x-codex-secondary-used-percent': '10' },
    { left: 0.25, until: now + 3_600_000 },
  ],
])('%s is read', (_title, head, quota) => {
  expect(readQuota(new Headers(head), now)).toEqual(quota)
})
