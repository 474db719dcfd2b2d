// An agent of the Agent Client Protocol, made with the protocol's own SDK, that thinks by a server of chat completions. It ends where that breaks off.
import { Readable, Writable } from 'node:stream'
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'

const [url, key, model] = process.argv.slice(2)
const running = new Map()
const option = {
  ...{ id: 'the-model', name: 'Model', category: 'model', type: 'select', currentValue: model },
  options: [{ value: model, name: model }],
}

async function* readEvents(reply) {
  let held = ''
  for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
    const lines = (held + piece).split('\n')
    held = lines.pop()
    for (const line of lines) if (line.startsWith('data: ') && line !== 'data: [DONE]') yield JSON.parse(line.slice(6))
    if (lines.includes('data: [DONE]')) return
  }
  throw new Error('the answer was cut off')
}

const inputOf = (part) =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } }

const app = agent({ name: 'relay' })
app.onRequest(methods.agent.initialize, ({ params }) => ({
  protocolVersion: params.protocolVersion,
  agentCapabilities: { promptCapabilities: { image: true } },
  authMethods: [],
}))
app.onRequest(methods.agent.session.new, () => {
  const sessionId = `session-${running.size + 1}`
  running.set(sessionId, new AbortController())
  return { sessionId, configOptions: [option] }
})
app.onRequest(methods.agent.session.setConfigOption, () => ({ configOptions: [option] }))
app.onNotification(methods.agent.session.cancel, ({ params }) => running.get(params.sessionId).abort())
/** The answer of the server; undefined where the session was cancelled. */
async function askServer(prompt, signal) {
  const body = {
    ...{ model, stream: true, stream_options: { include_usage: true } },
    messages: [{ role: 'user', content: prompt.map(inputOf) }],
  }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const reply = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body), signal })
  if (reply.status === 401) throw RequestError.authRequired(undefined, 'Authentication required')
  if (!reply.ok) throw RequestError.internalError(undefined, (await reply.json()).error.message)
  return reply
}

function countUsage({ prompt_tokens: input, completion_tokens: outputTokens, prompt_tokens_details: details }) {
  const cachedReadTokens = details?.cached_tokens ?? 0
  return { totalTokens: input + outputTokens, inputTokens: input - cachedReadTokens, outputTokens, cachedReadTokens }
}

function gather(calls, { index, function: piece }) {
  calls[index] ??= { name: '', args: '' }
  calls[index].name += piece.name ?? ''
  calls[index].args += piece.arguments ?? ''
}

async function relay(reply, tell) {
  const calls = []
  let usage
  for await (const { choices, usage: counted } of readEvents(reply)) {
    if (counted) usage = countUsage(counted)
    const { content, reasoning_content: thought, tool_calls: made = [] } = choices[0]?.delta ?? {}
    if (thought) await tell('agent_thought_chunk', thought)
    if (content) await tell('agent_message_chunk', content)
    for (const piece of made) gather(calls, piece)
  }
  for (const { name, args } of calls)
    await tell('agent_message_chunk', `<tool_call>{"name": "${name}", "arguments": ${args}}</tool_call>\n`)
  return { stopReason: 'end_turn', usage }
}

app.onRequest(methods.agent.session.prompt, async ({ params, client }) => {
  const { sessionId, prompt } = params
  const { signal } = running.get(sessionId)
  const tell = (sessionUpdate, text) =>
    client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate, content: { type: 'text', text } } })
  try {
    return await relay(await askServer(prompt, signal), tell)
  } catch (error) {
    if (signal.aborted) return { stopReason: 'cancelled' }
    if (error instanceof RequestError) throw error
    process.exit(3)
  }
})
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
