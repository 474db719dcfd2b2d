// What relaying an answer costs at least: read the request, ask the model by fetch, pass on what comes.
import { createServer } from 'node:http'

const model = process.argv[2]

const server = createServer(async (request, response) => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${model}/chat/completions`, { method: 'POST', headers, body: Buffer.concat(pieces) })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') })
  for await (const piece of answer.body) if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
  response.end()
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.on('disconnect', () => process.exit())
