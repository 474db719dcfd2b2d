// An agent of the Agent Client Protocol, made with the protocol's own SDK. It does what the last words of the user say.
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'

const [mode] = process.argv.slice(2)
const sessions = new Map()
const option = (currentValue) => ({
  ...{ id: 'the-model', name: 'Model', category: 'model', type: 'select', currentValue },
  options: [
    {
      group: 'all',
      name: 'All',
      options: [
        { value: 'small', name: 'Small' },
        { value: 'large', name: 'Large' },
      ],
    },
  ],
})

const acts = {
  hello: async ({ say, session }) => say(`Hello from ${session.model}.`),
  think: async ({ think, say }) => {
    await think('Let me see.')
    await say('I see.')
  },
  calls: async ({ say, tools }) => {
    await say('Two at once. <tool')
    for (const name of tools.slice(0, 2))
      await say(`${name === tools[0] ? '' : '<tool'}_call>{"name": "${name}", "arguments": {"path": "a"}}</tool_call>\n`)
  },
  mention: async ({ say }) => say('A block like <tool_call>{"name": "nobody"}</tool_call> and <tool_c'),
  endless: async ({ say, isOver }) => {
    for (let count = 0; !isOver(); count++) {
      await say(`${count} `)
      await pause(1)
    }
  },
  rights: async ({ client, say, sessionId }) => {
    const answered = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: { toolCallId: 't1', title: 'rm -rf /' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_always' }],
    })
    const refused = await client.request(methods.client.fs.readTextFile, { sessionId, path: '/etc/passwd' }).catch((error) => error.message)
    await say(`${answered.outcome.outcome}; ${refused}`)
  },
  images: async ({ say, parts }) =>
    say(
      parts
        .filter(({ type }) => type === 'image')
        .map(({ mimeType, data }) => `${mimeType} ${data}`)
        .join(),
    ),
  surroundings: async ({ say }) => say(JSON.stringify({ cwd: process.cwd(), names: Object.keys(process.env) })),
  fail: async () => {
    throw RequestError.internalError(undefined, 'the model is not well')
  },
  die: async () => {
    process.stderr.write('out of memory\n')
    process.exit(3)
  },
}

const app = agent({ name: 'test-agent' })
app.onRequest(methods.agent.initialize, ({ params }) => ({
  protocolVersion: params.protocolVersion,
  agentCapabilities: { promptCapabilities: { image: true }, sessionCapabilities: { close: {} } },
  authMethods: [],
}))
app.onRequest(methods.agent.session.new, ({ params }) => {
  if (mode === 'logged-out') throw RequestError.authRequired(undefined, 'Authentication required')
  const sessionId = `session-${sessions.size + 1}`
  sessions.set(sessionId, { cwd: params.cwd, model: 'small', over: false })
  return { sessionId, configOptions: [option('small')] }
})
app.onRequest(methods.agent.session.setConfigOption, ({ params }) => {
  sessions.get(params.sessionId).model = params.value
  return { configOptions: [option(params.value)] }
})
app.onRequest(methods.agent.session.close, ({ params }) => {
  sessions.delete(params.sessionId)
  return {}
})
app.onNotification(methods.agent.session.cancel, ({ params }) => {
  sessions.get(params.sessionId).over = true
})
app.onRequest(methods.agent.session.prompt, async ({ params, client }) => {
  const { sessionId, prompt: parts } = params
  const session = sessions.get(sessionId)
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const tell = (sessionUpdate) => (said) =>
    client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate, content: { type: 'text', text: said } } })
  const tools = [...text.matchAll(/^\{"name":"(\w+)"/gm)].map(([, name]) => name)
  const wish = [...text.matchAll(/^User: (\w+)/gm)].at(-1)?.[1] ?? 'hello'
  const isOver = () => session.over
  await acts[wish]({
    session,
    sessionId,
    client,
    tools,
    parts,
    isOver,
    say: tell('agent_message_chunk'),
    think: tell('agent_thought_chunk'),
  })
  return { stopReason: session.over ? 'cancelled' : 'end_turn', usage: { totalTokens: 12, inputTokens: 7, outputTokens: 5 } }
})
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
