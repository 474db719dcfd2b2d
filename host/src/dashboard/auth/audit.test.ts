import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { openAudit } from './audit.ts'

test('who floods the door from outside does not fill the disk, and hides nobody else', async () => {
  const logs = mkdtempSync(join(tmpdir(), 'agent-audit-'))
  try {
    const clock = createFakeClock()
    const audit = openAudit(logs, clock)
    const count = (event: string, address: string): number =>
      readFileSync(join(logs, 'dashboard-auth.log'), 'utf8')
        .trim()
        .split('\n')
        .filter((line) => line.includes(`"${event}"`) && line.includes(`"${address}"`)).length
    for (const event of ['login.failed', 'login.limited']) for (let at = 0; at < 30; at += 1) audit.write({ event, address: '10.0.0.1' })
    audit.write({ event: 'login.failed', address: '10.0.0.2' })
    audit.write({ event: 'login.done', address: '10.0.0.1' })
    expect(count('login.failed', '10.0.0.1') + count('login.limited', '10.0.0.1')).toBe(10)
    expect([count('login.failed', '10.0.0.2'), count('login.done', '10.0.0.1')]).toEqual([1, 1])
    await clock.advance(60_001)
    audit.write({ event: 'login.limited', address: '10.0.0.1' })
    expect(count('login.failed', '10.0.0.1') + count('login.limited', '10.0.0.1')).toBe(11)
  } finally {
    rmSync(logs, { recursive: true })
  }
})
