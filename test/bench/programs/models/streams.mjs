// Five protocols of models that answer at once, in a separate process. The model's name says the answer: `tokens-N` is that many tokens, each an
// event; `first` is one token, some time after the head.
import { createServer } from 'node:http'
import { crc32 } from 'node:zlib'

/** Tokens in a write: what the reading of one socket takes would else hide what the clients take. */
const atOnce = 16

/** What models write: most tokens are a word, some need an escape in JSON, some are no ASCII. As many as four writes take. */
const words = (
  'The| function| reads| each| line| of| a| file|,| and| splits| it| at| "|:|"|.|\n\n|It| is| slow| —| for| a| large| file| it| takes| |12' +
  '| seconds|.|\n|- |**|Gr|öße|**|:| |4| MB|\n|for| (|const| line| of| lines|)| read|One|(|line|)|\n| That| is| all| there| is| to| know|.'
).split('|')

const line = (data) => `data: ${JSON.stringify(data)}\n\n`
const named = (data) => `event: ${data.type}\n${line(data)}`

const chat = (delta, finish = null, more = {}) =>
  line({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })
const chatUsage = (count) => ({ prompt_tokens: 10, completion_tokens: count, total_tokens: count + 10 })

const item = (status, content) => ({ id: 'msg_1', type: 'message', role: 'assistant', status, content })
const part = (text) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const response = (status, output, usage = null) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status, output, usage, error: null, incomplete_details: null },
  ...{ instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, tool_choice: 'auto', tools: [], top_p: 1 },
})
const responsesUsage = (count) => ({
  ...{ input_tokens: 10, output_tokens: count, total_tokens: count + 10 },
  ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
})

const gemini = (parts, finishReason, count) =>
  line({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: count, totalTokenCount: 10 + count },
    ...{ modelVersion: 'm', responseId: 'r' },
  })

function frame(type, payload) {
  const headers = Buffer.concat(
    Object.entries({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }).map(([name, value]) =>
      Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, 0, value.length]), Buffer.from(value)]),
    ),
  )
  const body = Buffer.from(JSON.stringify(payload))
  const whole = Buffer.alloc(16 + headers.length + body.length)
  whole.writeUInt32BE(whole.length, 0)
  whole.writeUInt32BE(headers.length, 4)
  whole.writeUInt32BE(crc32(whole.subarray(0, 8)), 8)
  headers.copy(whole, 12)
  body.copy(whole, 12 + headers.length)
  whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4)
  return whole
}

const join = (...parts) => Buffer.concat(parts.map((one) => Buffer.from(one)))

/** Head, one token, and end of an answer. */
const protocols = {
  '/v1/chat/completions': {
    head: () => chat({ role: 'assistant', content: '' }),
    token: (text) => chat({ content: text }),
    end: (count) =>
      join(
        chat({}, 'stop'),
        line({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: chatUsage(count) }),
        'data: [DONE]\n\n',
      ),
  },
  '/v1/responses': {
    head: () =>
      join(
        named({ type: 'response.created', sequence_number: 0, response: response('in_progress', []) }),
        named({ type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: item('in_progress', []) }),
        named({ type: 'response.content_part.added', sequence_number: 2, ...place, part: part('') }),
      ),
    token: (text) => named({ type: 'response.output_text.delta', sequence_number: 3, ...place, delta: text, logprobs: [] }),
    end: (count) =>
      join(
        named({ type: 'response.output_text.done', sequence_number: 4, ...place, text: 'words', logprobs: [] }),
        named({ type: 'response.content_part.done', sequence_number: 5, ...place, part: part('words') }),
        named({ type: 'response.output_item.done', sequence_number: 6, output_index: 0, item: item('completed', [part('words')]) }),
        named({
          type: 'response.completed',
          sequence_number: 7,
          response: response('completed', [item('completed', [part('words')])], responsesUsage(count)),
        }),
      ),
  },
  '/v1/messages': {
    head: () =>
      join(
        named({
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 10, output_tokens: 1 },
          },
        }),
        named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      ),
    token: (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    end: (count) =>
      join(
        named({ type: 'content_block_stop', index: 0 }),
        named({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: count } }),
        named({ type: 'message_stop' }),
      ),
  },
  gemini: {
    head: () => '',
    token: (text) => gemini([{ text }], undefined, 1),
    end: (count) => gemini([{ text: '' }], 'STOP', count),
  },
  bedrock: {
    type: 'application/vnd.amazon.eventstream',
    head: () => frame('messageStart', { role: 'assistant' }),
    token: (text) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
    end: (count) =>
      join(
        frame('contentBlockStop', { contentBlockIndex: 0 }),
        frame('messageStop', { stopReason: 'end_turn' }),
        frame('metadata', { usage: { inputTokens: 10, outputTokens: count, totalTokens: count + 10 }, metrics: { latencyMs: 1 } }),
      ),
  },
}

const nameOf = (path) => (path.includes('converse-stream') ? 'bedrock' : path.includes(':stream') ? 'gemini' : path)

const server = createServer((request, reply) => {
  const pieces = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const path = (request.url ?? '').split('?')[0]
    const protocol = protocols[nameOf(path)]
    if (protocol === undefined) return reply.writeHead(404).end()
    const wanted = /tokens-(\d+)/.exec(path) ?? /tokens-(\d+)/.exec(Buffer.concat(pieces).toString())
    reply.writeHead(200, { 'content-type': protocol.type ?? 'text/event-stream' })
    reply.write(protocol.head())
    if (wanted) stream(reply, protocol, Number(wanted[1]))
    else setTimeout(() => reply.end(join(protocol.token('word '), protocol.end(1))), 3)
  })
})

function stream(reply, protocol, count) {
  const tokens = words.map((word) => Buffer.from(protocol.token(word)))
  const piece = (at) => Buffer.concat(tokens.slice(at, at + atOnce))
  const pieces = new Map([0, 1, 2, 3].map((index) => [index * atOnce, piece(index * atOnce)]))
  let done = 0
  const next = () => {
    if (reply.destroyed) return
    if (done === count) return reply.end(protocol.end(count))
    const at = done % words.length
    const some = count - done < atOnce ? Buffer.concat(tokens.slice(at, at + count - done)) : pieces.get(at)
    done = Math.min(count, done + atOnce)
    if (reply.write(some)) setImmediate(next)
    else reply.once('drain', next)
  }
  next()
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.on('disconnect', () => process.exit())
