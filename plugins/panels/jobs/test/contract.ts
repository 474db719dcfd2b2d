import type { PanelWorld } from '@agent/plugin-sdk/testing'

export async function openWorld(): Promise<PanelWorld> {
  const item = 'job_1'
  const input = { prompt: 'Say it.', schedule: 'daily at 9', deliver: 'local' }
  return {
    config: {},
    given: [
      { method: 'add', input: { name: 'news', ...input } },
      { method: 'jobs' },
      { method: 'job', item },
      { method: 'due' },
      { method: 'runs' },
      { method: 'given', item },
      { method: 'change', item, input },
      { method: 'run', item },
      { method: 'pause', item },
      { method: 'resume', item },
      { method: 'remove', item },
    ],
    failing: { method: 'job', item: 'no-such-job' },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
