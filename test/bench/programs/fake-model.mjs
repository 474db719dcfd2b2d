// A model that answers at once, in a separate process: the OpenAI chat-completions wire protocol, streamed.
// "tokens=N" in the request asks for N tokens; they leave one by one, each in a separate event-loop turn, as from a real server.
// "markdown=N" asks for N tokens of a text with lists, tables and code, at the speed of a quick model.
// The programs of this folder are plain JavaScript: they are started by themselves and must not drag the bench's bundle along.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const head = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":'
const event = (delta, finish) => `data: ${head}${JSON.stringify(delta)},"finish_reason":${finish}}]}\n\n`
const first = event({ role: 'assistant', content: '' }, 'null')
const token = Buffer.from(event({ content: 'word ' }, 'null'))
const usage = (count) =>
  `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":${count},"total_tokens":${count + 10}}}\n\n`
const last = (count) => `${event({}, '"stop"')}${usage(count)}data: [DONE]\n\n`
const short = `${first}${token}${last(1)}`

let latest = ''

const server = createServer((request, response) => {
  if (request.url === '/latest') return response.end(latest)
  const pieces = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    latest = Buffer.concat(pieces).toString()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const written = /markdown=(\d+)/.exec(latest)
    if (written !== null) {
      response.write(first)
      return write(response, Number(written[1]))
    }
    const wanted = /tokens=(\d+)/.exec(latest)
    if (wanted === null) return response.end(short)
    response.write(first)
    stream(response, Number(wanted[1]))
  })
})

const pieces = readFileSync(new URL('../../../host/src/cli/chat/render/fixtures/everything.md', import.meta.url), 'utf8').match(
  /\s*\S{1,5}/g,
)

/** A thousand tokens a second. */
function write(response, count) {
  let at = 0
  const timer = setInterval(() => {
    if (response.destroyed) return clearInterval(timer)
    for (let piece = 0; piece < 10 && at < count; piece++, at++) response.write(event({ content: pieces[at % pieces.length] }, 'null'))
    if (at < count) return
    clearInterval(timer)
    response.end(last(count))
  }, 10)
}

function stream(response, count) {
  let left = count
  const next = () => {
    if (response.destroyed) return
    if (left-- === 0) return response.end(last(count))
    if (response.write(token)) setImmediate(next)
    else response.once('drain', next)
  }
  next()
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.on('disconnect', () => process.exit())
