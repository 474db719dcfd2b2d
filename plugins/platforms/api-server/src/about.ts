import type { Door } from './door/door.ts'
import type { Path } from './door/paths.ts'

/** What a program can find out about this server. */
export function describeCapabilities({ settings }: Door, table: readonly Path[]): unknown {
  return {
    object: 'agent.api_server.capabilities',
    platform: 'agent',
    model: settings.modelName,
    auth: { type: 'bearer', required: settings.key !== undefined },
    runtime: { mode: 'server_agent', tool_execution: 'both', split_runtime: true },
    features: {
      chat_completions: true,
      chat_completions_streaming: true,
      responses_api: true,
      responses_streaming: true,
      reasoning_streaming: settings.showReasoning,
      tool_progress_events: settings.toolProgress !== 'off',
      run_submission: true,
      run_status: true,
      run_events_sse: true,
      run_stop: true,
      run_approval_response: settings.key !== undefined,
      approval_events: settings.key !== undefined,
      client_tools: true,
      tool_choice: true,
      response_format: true,
      idempotency_keys: true,
      session_continuity_header: settings.key === undefined ? null : 'X-Agent-Session-Id',
      session_key_header: settings.key === undefined ? null : 'X-Agent-Session-Key',
      cors: settings.origins.length > 0,
    },
    endpoints: Object.fromEntries(table.map(({ name, method, path }) => [name, { method, path }])),
  }
}

/** Degraded is an answer too: the server can tell. */
export function describeHealth({ slots, responses, about, clock }: Door): unknown {
  const full = slots.running >= slots.limit
  return {
    status: full ? 'degraded' : 'ok',
    platform: 'agent',
    version: about.version,
    profile: about.profile,
    uptime_seconds: Math.floor((clock.now() - about.startedAt) / 1000),
    active_runs: slots.running,
    readiness: {
      ready: !full,
      checks: {
        runs: { status: full ? 'full' : 'ok', active: slots.running, limit: Number.isFinite(slots.limit) ? slots.limit : null },
        responses: { status: 'ok', stored: responses.size },
      },
    },
  }
}
