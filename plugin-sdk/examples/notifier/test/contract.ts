import type { NotifierWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this notifier. */
export async function openWorld(): Promise<NotifierWorld> {
  const end = { job: 'job_1', name: 'backup', text: 'the disk is full' }
  return {
    config: {},
    events: [{ name: 'job.end', data: { ...end, state: 'failed' } }],
    quiet: { name: 'job.end', data: { ...end, state: 'ok' } },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
