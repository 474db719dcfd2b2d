import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@agent/plugin-sdk'
import { ensureFolder } from '#config/home/home.ts'
import { createTries } from './tries.ts'

export interface AuditLog {
  /** `variable`: the one whose value was shown; never the value. `subject`: who it is to the identity provider, or to the gate. */
  write(line: {
    readonly event: string
    readonly address: string
    readonly variable?: string
    readonly gate?: string
    readonly subject?: string
  }): void
}

/** What logins run with. */
export interface LoginGround {
  readonly clock: Clock
  readonly audit: AuditLog
}

const endless: readonly string[] = ['login.limited', 'login.failed']

/** Who tried to come in, and who had a secret shown: JSON lines in logs/dashboard-auth.log, without names and passwords. */
export function openAudit(logs: string, clock: Pick<Clock, 'now'>): AuditLog {
  const heard = createTries(clock)
  return {
    write(line) {
      // Anybody can send these without an end, and the file has none either.
      if (endless.includes(line.event) && !heard.take(line.address)) return
      const text = `${JSON.stringify({ time: clock.now(), ...line })}\n`
      appendFileSync(join(ensureFolder(logs), 'dashboard-auth.log'), text, { mode: 0o600 })
    },
  }
}
