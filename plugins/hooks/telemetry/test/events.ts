import type { HookEvents } from '@agent/plugin-sdk'

const about = { turn: 'trn_1', session: 'ses_1', source: 'telegram' }
const usage = { input: 120, output: 30, cacheRead: 100, cacheWrite: 0, reasoning: 0 }

export const modelEnd: HookEvents['model.end'] = {
  ...{ ...about, provider: 'anthropic', model: 'claude', usage, durationMs: 1500, firstTokenMs: 300, stop: 'tool-calls', error: null },
}
export const toolEnd: HookEvents['tool.end'] = { ...about, tool: 'terminal', ok: true, durationMs: 40, error: null }
export const turnEnd: HookEvents['turn.end'] = {
  ...{ ...about, provider: 'anthropic', model: 'claude', status: 'complete', usage, calls: 1, durationMs: 1600, error: null },
}
