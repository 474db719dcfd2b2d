import { ownerOf } from '#tools/memory/owner.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job } from './job.ts'

/** Whose memory the answer to a message may use. */
export function memoryOwnerOf({ catalog, loaded }: Pick<InboxParts, 'catalog' | 'loaded'>, { claim }: Pick<Job, 'claim'>): string {
  const { platform, message } = claim
  // What came from a platform that is gone is nobody's word.
  const gate = catalog.find('platform', platform)?.spec.gate ?? 'source'
  return ownerOf({ platform, message, gate }, loaded.config.memory.owners)
}
