import type { HookEvents } from '@agent/plugin-sdk'
import type { Attributes, Instrument, Meter } from './meter.ts'
import type { Span } from './otlp.ts'

// Names, units and bounds: opentelemetry.io, semantic conventions for generative AI, status "development", read in November 2026.
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power)
const duration = (name: string, description: string): Instrument => ({ name, description, unit: 's', bounds: seconds })

const instruments = {
  usage: { name: 'gen_ai.client.token.usage', description: 'Tokens of a call of a model.', unit: '{token}', bounds: tokens },
  operation: duration('gen_ai.client.operation.duration', 'How long a call of a model took.'),
  first: duration('gen_ai.client.operation.time_to_first_chunk', 'How long the first part of its answer took.'),
  tool: duration('gen_ai.execute_tool.duration', 'How long a call of a tool took.'),
  turn: duration('gen_ai.invoke_agent.duration', 'How long a turn took.'),
} as const satisfies Readonly<Record<string, Instrument>>

/** Error type of what failed; nothing for what went well. */
const errorOf = (error: string | null): Attributes => (error === null ? {} : { 'error.type': error })

export function measureModel(meter: Meter, event: HookEvents['model.end']): void {
  const { provider, model, usage, durationMs, firstTokenMs, error } = event
  const key = `${provider}\0${model}`
  const common = (): Attributes => ({
    ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model },
  })
  meter.record(instruments.operation, durationMs / 1000, `${key}\0${error}`, () => ({ ...common(), ...errorOf(error) }))
  if (firstTokenMs !== null) meter.record(instruments.first, firstTokenMs / 1000, key, common)
  for (const type of ['input', 'output'] as const)
    if (usage[type] > 0) meter.record(instruments.usage, usage[type], `${key}\0${type}`, () => ({ ...common(), 'gen_ai.token.type': type }))
}

export function measureTool(meter: Meter, { tool, durationMs, ok, error }: HookEvents['tool.end']): void {
  const kind = ok ? null : (error ?? 'failed')
  meter.record(instruments.tool, durationMs / 1000, `${tool}\0${kind}`, () => ({ 'gen_ai.tool.name': tool, ...errorOf(kind) }))
}

export function measureTurn(meter: Meter, { source, status, durationMs, error }: HookEvents['turn.end']): void {
  meter.record(instruments.turn, durationMs / 1000, `${source}\0${status}\0${error}`, () => ({
    ...{ 'gen_ai.operation.name': 'invoke_agent', 'agent.source': source, 'agent.status': status },
    ...errorOf(error),
  }))
}

export function spanOfModel(event: HookEvents['model.end'], endedAt: number): Span {
  const { turn, session, provider, model, usage, durationMs, firstTokenMs, stop, error } = event
  return {
    turn,
    isTurn: false,
    name: `chat ${model}`,
    kind: 'client',
    startedAt: endedAt - durationMs,
    endedAt,
    error,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': session,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.response.finish_reasons': [stop],
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
      ...(firstTokenMs === null ? {} : { 'gen_ai.response.time_to_first_chunk': firstTokenMs / 1000 }),
    },
  }
}

export function spanOfTool({ turn, session, tool, durationMs, ok, error }: HookEvents['tool.end'], endedAt: number): Span {
  return {
    turn,
    isTurn: false,
    name: `execute_tool ${tool}`,
    kind: 'internal',
    startedAt: endedAt - durationMs,
    endedAt,
    error: ok ? null : (error ?? 'failed'),
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.conversation.id': session, 'gen_ai.tool.name': tool },
  }
}

export function spanOfTurn(event: HookEvents['turn.end'], agent: string, endedAt: number): Span {
  const { turn, session, source, provider, model, status, usage, calls, durationMs, error } = event
  return {
    turn,
    isTurn: true,
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    startedAt: endedAt - durationMs,
    endedAt,
    error,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': session,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'agent.source': source,
      'agent.status': status,
      'agent.model_calls': calls,
    },
  }
}
