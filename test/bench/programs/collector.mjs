// A collector of OTLP that takes whatever it is sent, and counts spans and requests of metrics.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'

const seen = { spans: 0, metrics: 0 }
const server = createServer((request, response) => {
  const pieces = []
  request.on('data', (piece) => pieces.push(piece))
  request.once('end', () => {
    if (request.url === '/v1/metrics') seen.metrics += 1
    else if (request.url === '/v1/traces') seen.spans += gunzipSync(Buffer.concat(pieces)).toString().split('"traceId"').length - 1
    response.end(JSON.stringify(request.url === '/seen' ? seen : {}))
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(`http://127.0.0.1:${server.address().port}`)
process.on('disconnect', () => process.exit())
