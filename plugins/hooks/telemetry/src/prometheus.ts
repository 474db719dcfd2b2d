import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fail } from '@agent/plugin-sdk/errors'
import type { Meter, Series } from './meter.ts'

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** What was measured, in the text format of Prometheus (prometheus.io, "Exposition formats", 0.0.4). */
export function formatPage(series: readonly Series[]): string {
  const instruments = [...new Set(series.map(({ instrument }) => instrument))]
  return instruments
    .map((instrument) => {
      const name = nameOf(instrument.name, instrument.unit)
      const own = series.filter((each) => each.instrument === instrument)
      const head = [`# HELP ${name} ${instrument.description}`, `# TYPE ${name} histogram`]
      return `${[...head, ...own.flatMap((each) => formatSeries(name, each))].join('\n')}\n`
    })
    .join('')
}

/** The unit is part of the name. */
function nameOf(name: string, unit: string): string {
  return `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : '_tokens'}`
}

function formatSeries(name: string, { instrument, attributes, buckets, count, sum }: Series): readonly string[] {
  const labels = Object.entries(attributes).map(([key, value]) => `${key.replaceAll('.', '_')}="${quote(value)}"`)
  let below = 0
  const lines = buckets.map((found, at) => {
    below += found
    return `${name}_bucket{${[...labels, `le="${instrument.bounds[at] ?? '+Inf'}"`].join(',')}} ${below}`
  })
  const own = labels.length > 0 ? `{${labels.join(',')}}` : ''
  return [...lines, `${name}_sum${own} ${sum}`, `${name}_count${own} ${count}`]
}

function quote(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

export interface Page {
  readonly port: number
  close(): Promise<void>
}

/** Serves `GET /metrics`. Rejects where the port is taken. */
export async function servePage({ host, port }: { readonly host: string; readonly port: number }, meter: Meter): Promise<Page> {
  const server = createServer((request, response) => {
    const isPage = request.url?.split('?')[0] === '/metrics'
    const status = !isPage ? 404 : request.method === 'GET' || request.method === 'HEAD' ? 200 : 405
    response.writeHead(status, { 'content-type': contentType })
    response.end(status === 200 ? formatPage(meter.series()) : undefined)
  })
  server.listen(port, host)
  await once(server, 'listening').catch((error: Error) => {
    throw fail('PLUGIN_FAILED', { plugin: 'hooks-telemetry', during: 'opening its page', detail: error.message }, { cause: error })
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
