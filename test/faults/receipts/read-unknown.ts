import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { TestHome } from '../../support/test-home.ts'

/** A part of an answer of which nobody knows whether it arrived. */
export interface UnknownPart {
  readonly platform: string
  readonly key: string
  /** When the first attempt began that may have arrived, and when it was given up: milliseconds since 1970. */
  readonly tried: number
  readonly settled: number
  /** 1 where it was to take the place of a preview that stands on the platform. */
  readonly edits: number
  /** 1 where its conversation was told, or was to be. */
  readonly marked: number
}

export function readUnknown(home: TestHome): readonly UnknownPart[] {
  const database = new Database(join(home.home, 'state.db'), { readonly: true, timeout: 5000 })
  try {
    return database
      .prepare(
        `SELECT platform, key, tried_at AS tried, settled_at AS settled,
          part = 0 AND EXISTS (SELECT 1 FROM outbox AS preview WHERE preview.kind = 'preview' AND preview.inbox = outbox.inbox AND preview.platform_id IS NOT NULL) AS edits,
          EXISTS (SELECT 1 FROM outbox AS mark WHERE mark.key IN ('mark:' || outbox.key, 'mark:' || rtrim(outbox.key, '0123456789'))) AS marked
        FROM outbox WHERE state = 'unknown' AND kind = 'part'`,
      )
      .all() as UnknownPart[]
  } finally {
    database.close()
  }
}
