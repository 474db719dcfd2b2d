// @module-tag process
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateObject, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callBothSides } from '../../../../test/support/fakes/both-sides.ts'
import { type FakeOpenai, startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeRequest } from '../../../../test/support/fakes/fake-vendor.ts'
import { type AgentProcess, startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'

const answer = callBothSides([{ name: 'weather', args: '{"city":"Rome"}' }])
const both = /Both sides said: <.*own\.txt.*> <sunny in Rome>/s

let home: TestHome
let model: FakeOpenai
let gateway: { readonly agent: AgentProcess; readonly url: string }
let openai: OpenAI

async function start(): Promise<typeof gateway> {
  const agent = startAgent(home, ['gateway', 'run'], { timeoutMs: 120_000 })
  const said = await agent.heard(/listens at \S+\n/)
  return { agent, url: `${/listens at (\S+)/.exec(said)?.[1]}/v1` }
}

async function stop(): Promise<void> {
  gateway.agent.child.kill('SIGTERM')
  await gateway.agent.ended
}

/** A request that demands a form: the model misses it first. */
function reply(request: FakeRequest) {
  const text = JSON.stringify(request.body.messages)
  if (!text.includes('JSON Schema')) return answer(request)
  return { text: text.includes('This is not what the request demands') ? '{"city":"Rome"}' : 'The city is Rome.' }
}

beforeAll(async () => {
  home = openTestHome()
  model = await startFakeOpenai({ answers: reply })
  home.write('config.yaml', `model:\n  provider: custom\n  default: fake-model\n  base_url: ${model.url}\n`)
  gateway = await start()
  openai = new OpenAI({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0 })
})
afterAll(async () => {
  await stop()
  await model[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { type: 'function', function: { name: 'weather', description: 'Tells the weather.', parameters } } as const
const ask = { role: 'user', content: 'What is the weather in Rome?' } as const
const tellWeather = ({ city }: { city: string }): string => `sunny in ${city}`

test('openai: a whole chat hands out the call, and goes on with the result', async () => {
  const first = await openai.chat.completions.create({ model: 'agent', messages: [ask], tools: [weather] })
  const [choice] = first.choices
  expect(choice).toMatchObject({
    finish_reason: 'tool_calls',
    message: { tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }] },
  })
  const { message } = choice ?? expect.unreachable()
  const result = { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id ?? '', content: 'sunny in Rome' } as const
  const second = await openai.chat.completions.create({ model: 'agent', messages: [ask, message, result], tools: [weather] })
  expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.stringMatching(both) } })
})

test("openai: a gateway that was started again knows the agent's part of the step", async () => {
  const messages = [{ role: 'user', content: 'The weather after a restart?' } as const]
  const { message } =
    (await openai.chat.completions.create({ model: 'agent', messages, tools: [weather] })).choices[0] ?? expect.unreachable()
  await stop()
  gateway = await start()
  openai = new OpenAI({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0 })
  const result = { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id ?? '', content: 'sunny in Rome' } as const
  const second = await openai.chat.completions.create({ model: 'agent', messages: [...messages, message, result], tools: [weather] })
  expect(second.choices[0]?.message.content).toMatch(both)
})

test.each([
  ['with the items themselves', (items: readonly OpenAI.Responses.ResponseOutputItem[]) => items],
  ['by reference', (items: readonly OpenAI.Responses.ResponseOutputItem[]) => items.map(({ id = '' }) => ({ type: 'item_reference', id }))],
])('openai: a response that is sent back %s is told to the model once', async (_how, sentBack) => {
  const tools = [{ ...weather.function, type: 'function', strict: false } as const]
  const { output } = await openai.responses.create({ model: 'agent', input: [ask], tools })
  const results = output.flatMap((item) =>
    item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: 'sunny in Rome' } as const] : [],
  )
  const input = [ask, ...sentBack(output), ...results] as OpenAI.Responses.ResponseInput
  expect((await openai.responses.create({ model: 'agent', input, tools })).output_text).toMatch(both)
  expect(JSON.stringify(model.requests.at(-1)?.body.messages).match(/I look|Wrote /g)).toHaveLength(2)
})

test('openai: after a restart the model of the configuration answers the same first words, and a stored session too', async () => {
  await using other = await startFakeOpenai({ models: ['other-model'] })
  const messages = [{ role: 'user', content: 'Who are you?' } as const]
  const create = async () => {
    const { data, response } = await openai.chat.completions.create({ model: 'agent', messages }).withResponse()
    return { text: data.choices[0]?.message.content, session: response.headers.get('x-agent-session-id') }
  }
  const first = await create()
  const before = home.read('config.yaml')
  await stop()
  home.write('config.yaml', `model:\n  provider: custom\n  default: other-model\n  base_url: ${other.url}\n`)
  gateway = await start()
  openai = new OpenAI({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0 })
  const second = await create()
  expect(second).toEqual({ text: 'Hello from the fake.', session: first.session })
  expect(other.requests.filter(({ method }) => method === 'POST')).toMatchObject([{ body: { model: 'other-model' } }])
  await stop()
  home.write('config.yaml', before)
  gateway = await start()
  openai = new OpenAI({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0 })
})

test('openai: what shall not be stored is in no file of the home, and the turn goes on all the same', async () => {
  const talk = async (word: string, more: object): Promise<unknown> => {
    const messages = [{ role: 'user', content: `The weather in ${word}?` } as const]
    const common = { model: 'agent', tools: [weather], ...more }
    const { message } = (await openai.chat.completions.create({ ...common, messages })).choices[0] ?? expect.unreachable()
    const result = { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id ?? '', content: 'sunny in Rome' } as const
    return (await openai.chat.completions.create({ ...common, messages: [...messages, message, result] })).choices[0]?.message.content
  }
  expect(await talk('Stockholmunkept', { store: false })).toMatch(both)
  expect(await talk('Lisbonkept', {})).toMatch(both)
  expect(await openai.responses.create({ model: 'agent', input: 'Oslounkept', store: false })).toMatchObject({ store: false })
  await stop()
  const written = readdirSync(home.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
  expect([/unkept/i, /lisbonkept/i].map((word) => word.test(written))).toEqual([false, true])
  gateway = await start()
  openai = new OpenAI({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0 })
})

test('openai: `x-agent-tools: off` leaves only the tools of the client', async () => {
  const headers = { 'x-agent-tools': 'off' }
  const asked = model.requests.length
  await openai.chat.completions.create({ model: 'agent', messages: [ask], tools: [weather] }, { headers })
  expect(model.requests[asked]?.body.tools).toMatchObject([{ function: { name: 'weather' } }])
})

test('openai: the helper that runs tools, with a stream', async () => {
  const runner = openai.chat.completions.runTools({
    model: 'agent',
    stream: true,
    messages: [ask],
    tools: [
      {
        type: 'function',
        function: { ...weather.function, function: (text: string) => tellWeather(JSON.parse(text)) },
      },
    ],
  })
  expect(await runner.finalContent()).toMatch(both)
})

test.each([true, false])('openai: responses with a function call, chained (stream: %s)', async (stream) => {
  const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'weather', parameters, strict: true }]
  const send = (
    body: Pick<OpenAI.Responses.ResponseCreateParams, 'input' | 'previous_response_id'>,
  ): Promise<OpenAI.Responses.Response> => {
    const wanted = { model: 'agent', tools, ...body }
    return stream ? openai.responses.stream(wanted).finalResponse() : openai.responses.create(wanted)
  }
  const first = await send({ input: ask.content })
  const call = first.output.find((item) => item.type === 'function_call') ?? expect.unreachable()
  expect([first.status, call]).toMatchObject(['completed', { name: 'weather', arguments: '{"city":"Rome"}', status: 'completed' }])
  const output = { type: 'function_call_output', call_id: call.call_id, output: 'sunny in Rome' } as const
  const second = await send({ previous_response_id: first.id, input: [output] })
  expect(second.output_text).toMatch(both)
})

test('openai: a tool that takes text is called with text', async () => {
  const first = await openai.responses.create({
    model: 'agent',
    input: ask.content,
    tools: [{ type: 'custom', name: 'weather' }, { type: 'web_search' }],
    store: false,
  })
  const call = first.output.find((item) => item.type === 'custom_tool_call')
  expect(call).toMatchObject({ name: 'weather', input: '{"city":"Rome"}' })
  const input = [ask, call, { type: 'custom_tool_call_output', call_id: call?.call_id, output: 'sunny in Rome' }]
  const second = await openai.responses.create({ model: 'agent', input: input as OpenAI.Responses.ResponseInput, store: false })
  expect(second.output_text).toMatch(both)
})

test('openai: the form of an answer is checked, and the model is asked once more', async () => {
  const format = { type: 'json_schema', name: 'place', schema: parameters } as const
  const response = await openai.responses.create({ model: 'agent', input: 'Where?', text: { format } })
  expect(JSON.parse(response.output_text)).toEqual({ city: 'Rome' })
})

const aiTools = { weather: tool({ inputSchema: jsonSchema<{ city: string }>(parameters), execute: async (input) => tellWeather(input) }) }
const chatModel = () => createOpenAICompatible({ name: 'agent', baseURL: gateway.url, supportsStructuredOutputs: true })('agent')
const responsesModel = () => createOpenAI({ baseURL: gateway.url, apiKey: 'none' })('agent')

test.each([
  ['chat', chatModel],
  ['responses', responsesModel],
])('ai sdk: its own tool and the tool of the agent, by %s', async (_api, open) => {
  const common = { model: open(), prompt: ask.content, tools: aiTools, stopWhen: stepCountIs(3), maxRetries: 0 }
  expect((await generateText(common)).text).toMatch(both)
  const streamed = streamText({ ...common, onError: () => undefined })
  expect(await streamed.text).toMatch(both)
})

test.each([
  ['chat', chatModel],
  ['responses', responsesModel],
])('ai sdk: an object, by %s', async (_api, open) => {
  const { object } = await generateObject({ model: open(), schema: jsonSchema(parameters), prompt: 'Where?', maxRetries: 0 })
  expect(object).toEqual({ city: 'Rome' })
})
