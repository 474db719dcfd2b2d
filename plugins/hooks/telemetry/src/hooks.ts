import type { Hooks } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { openExporter, parseHeaders } from './exporter.ts'
import { measureModel, measureTool, measureTurn, spanOfModel, spanOfTool, spanOfTurn } from './measure.ts'
import { createMeter } from './meter.ts'
import { servePage } from './prometheus.ts'

/** Names, numbers and codes are told, and nothing that anybody said. */
const hooks: Hooks<Config> = {
  async open(context) {
    const { config, clock, about, log } = context
    const meter = createMeter()
    const resource = { name: config.service_name, version: about.agentVersion }
    const headers = parseHeaders((await context.secrets.find('OTEL_EXPORTER_OTLP_HEADERS')) ?? '')
    const exporter =
      config.endpoint === undefined ? undefined : openExporter(context, { endpoint: config.endpoint, headers, resource, meter })
    if (exporter) context.effect(() => exporter.close())
    if (config.prometheus) {
      const page = await servePage(config.prometheus, meter)
      context.effect(() => page.close())
      log.info(`measurements for Prometheus are at http://${config.prometheus.host}:${page.port}/metrics`)
    }
    return {
      hooks: {
        'model.end': async (event) => {
          measureModel(meter, event)
          exporter?.add(spanOfModel(event, clock.now()))
          return undefined
        },
        'tool.end': async (event) => {
          measureTool(meter, event)
          exporter?.add(spanOfTool(event, clock.now()))
          return undefined
        },
        'turn.end': async (event) => {
          measureTurn(meter, event)
          exporter?.add(spanOfTurn(event, resource.name, clock.now()))
          return undefined
        },
      },
    }
  },
}

export default hooks
