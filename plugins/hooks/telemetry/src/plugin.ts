import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'hooks-telemetry',
  name: 'Telemetry',
  description: 'Sends traces and metrics of turns, calls of models and tools to OpenTelemetry, and serves a page for Prometheus.',
  docsUrl: 'https://opentelemetry.io/docs/specs/semconv/gen-ai/',
  env: [
    {
      ...{ name: 'OTEL_EXPORTER_OTLP_HEADERS', secret: true, required: false },
      prompt: 'Headers that the collector asks for: name=value, several with commas between them',
    },
  ],
  permissions: { net: { value: ['any', 'private'], reason: 'Sends measurements to the collector that you name.' } },
  hooks: {
    telemetry: {
      label: 'Telemetry',
      config,
      env: ['OTEL_EXPORTER_OTLP_HEADERS'],
      hooks: [{ name: 'model.end' }, { name: 'tool.end' }, { name: 'turn.end' }],
      onByDefault: false,
      entry: () => import('./hooks.ts'),
    },
  },
})
