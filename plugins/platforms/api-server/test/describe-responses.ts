import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import type { ApiUnderTest, OpenApi } from './describe-chat.ts'

type Event = OpenAI.Responses.ResponseStreamEvent

/** What real clients need of stored responses; the same tests for scripted turns and for a whole gateway. */
export function describeResponses(name: string, under: ApiUnderTest): void {
  describe(name, () => {
    let api: OpenApi
    let openai: OpenAI
    beforeAll(async () => {
      api = await under.open({ key: 'sk-test' })
      openai = new OpenAI({ baseURL: api.url, apiKey: 'sk-test', maxRetries: 0 })
    })
    afterAll(() => api.close())
    describeWhole(under, () => openai)
    describeStreams(under, () => ({ api, openai }))
    describeChains(under, () => openai)
  })
}

function describeWhole(under: ApiUnderTest, openai: () => OpenAI): void {
  proves(
    ['api.responses.create', 'api.responses.get', 'purpose.api.responses', 'response.id', 'response.usage'],
    'openai: a whole response has text and usage, and is stored',
    async () => {
      const asked = { model: 'agent', input: under.greet.say, instructions: 'Be brief.', metadata: { for: 'a test' } }
      const response = await openai().responses.create(asked)
      expect(response).toMatchObject({ object: 'response', status: 'completed', error: null, store: true, instructions: 'Be brief.' })
      expect(response.output_text).toMatch(under.greet.answer)
      const { input_tokens = 0, output_tokens = 0, total_tokens } = response.usage ?? {}
      expect(Math.min(input_tokens, output_tokens)).toBeGreaterThan(0)
      expect(total_tokens).toBe(input_tokens + output_tokens)
      const stored = await openai().responses.retrieve(response.id)
      expect(stored).toMatchObject({ id: response.id, output: response.output, metadata: { for: 'a test' } })
    },
  )

  proves('api.responses.delete', 'openai: a response that was deleted is there no more, one that is not stored never is', async () => {
    const missing = { status: 404, code: 'not_found', type: 'invalid_request_error' }
    const { id } = await openai().responses.create({ model: 'agent', input: under.greet.say })
    const { url } = await openai().responses.delete(id).asResponse()
    expect(url).toContain(id)
    await expect(openai().responses.retrieve(id)).rejects.toMatchObject(missing)
    await expect(openai().responses.delete(id)).rejects.toMatchObject(missing)
    const unstored = await openai().responses.create({ model: 'agent', input: under.greet.say, store: false })
    await expect(openai().responses.retrieve(unstored.id)).rejects.toMatchObject(missing)
  })

  test('openai: a tool that ran on the server is a call that is done', async () => {
    const { output, output_text } = await openai().responses.create({ model: 'agent', input: under.tool.say })
    expect(output_text).toMatch(under.tool.answer)
    expect(output.filter(({ type }) => type === 'mcp_call')).toMatchObject([
      { status: 'completed', server_label: 'agent', name: 'terminal', output: expect.any(String), error: null },
    ])
    expect(output.some(({ type }) => type === 'function_call')).toBe(false)
  })

  test('openai: a failed turn is an error with its status and code', async () => {
    const asked = openai().responses.create({ model: 'agent', input: under.fail.say })
    await expect(asked).rejects.toMatchObject({ status: under.fail.status, code: under.fail.code })
  })
}

function describeStreams(under: ApiUnderTest, opened: () => { api: OpenApi; openai: OpenAI }): void {
  const stream = async (say: string): Promise<readonly Event[]> => {
    const events: Event[] = []
    const asked = await opened().openai.responses.create({ model: 'agent', input: say, stream: true })
    for await (const event of asked) events.push(event)
    return events
  }

  test('openai: the events of a stream come numbered and in their order', async () => {
    const events = await stream(under.greet.say)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    const order = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
    expect(order).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(textOf(events)).toMatch(under.greet.answer)
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error('no end')
    expect(last.response.usage?.total_tokens).toBeGreaterThan(0)
    expect(await opened().openai.responses.retrieve(last.response.id)).toMatchObject({ status: 'completed', output: last.response.output })
  })

  test('openai: a long stream comes in pieces', async () => {
    const events = await stream(under.long.say)
    expect(events.filter(({ type }) => type === 'response.output_text.delta').length).toBeGreaterThan(1)
    expect(textOf(events)).toMatch(under.long.answer)
  })

  test.each(['greet', 'long', 'tool'] as const)('openai: the stream helper follows every event (%s)', async (wish) => {
    const final = await opened().openai.responses.stream({ model: 'agent', input: under[wish].say }).finalResponse()
    expect(final).toMatchObject({ status: 'completed' })
    expect(final.output_text).toMatch(under[wish].answer)
  })

  test('openai: a tool is shown while it runs', async () => {
    const types = (await stream(under.tool.say)).map(({ type }) => type)
    const place = (type: Event['type']): number => types.indexOf(type)
    expect(place('response.mcp_call.in_progress')).toBeGreaterThan(0)
    expect(place('response.mcp_call_arguments.done')).toBeGreaterThan(place('response.mcp_call.in_progress'))
    expect(place('response.mcp_call.completed')).toBeGreaterThan(place('response.mcp_call_arguments.done'))
  })

  test('openai: a turn that fails ends the stream as failed', async () => {
    const last = (await stream(under.fail.say)).at(-1)
    expect(last).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: { code: under.fail.code } } })
    const final = await opened().openai.responses.stream({ model: 'agent', input: under.fail.say }).finalResponse()
    expect(final.status).toBe('failed')
  })

  test('openai: a client that leaves interrupts the turn, and what was said until then is kept', async () => {
    const { api, openai } = opened()
    const interrupted = api.interrupted()
    const asked = await openai.responses.create({ model: 'agent', input: under.endless, stream: true })
    let id = ''
    for await (const event of asked) {
      if (event.type === 'response.created') id = event.response.id
      if (event.type === 'response.output_text.delta') asked.controller.abort()
    }
    await interrupted
    await expect.poll(async () => (await openai.responses.retrieve(id)).status).toBe('incomplete')
  })
}

function describeChains(under: ApiUnderTest, openai: () => OpenAI): void {
  const create = async (body: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>) => {
    const { data, response } = await openai()
      .responses.create({ model: 'agent', ...body })
      .withResponse()
    return { ...data, session: response.headers.get('x-agent-session-id') }
  }

  proves(
    ['api.responses.chain', 'response.conversation'],
    'openai: a response or a named conversation goes on in its own session',
    async () => {
      const first = await create({ input: under.tool.say, instructions: 'Be kind.' })
      const second = await create({ input: under.greet.say, previous_response_id: first.id })
      expect(second).toMatchObject({ previous_response_id: first.id, session: first.session, instructions: 'Be kind.' })
      const named = await create({ input: under.greet.say, conversation: 'ours' })
      const next = await create({ input: under.greet.say, conversation: 'ours' })
      expect(next).toMatchObject({ previous_response_id: named.id, session: named.session })
      expect(next.session).not.toBe(first.session)
    },
  )

  test('openai: a chain that does not exist or is named twice is refused', async () => {
    await expect(create({ input: 'x', previous_response_id: 'resp_none' })).rejects.toMatchObject({ status: 404, code: 'not_found' })
    const both = create({ input: 'x', previous_response_id: 'resp_none', conversation: 'ours' })
    await expect(both).rejects.toMatchObject({ status: 400, code: 'invalid_request', param: 'conversation' })
  })
}

const textOf = (events: readonly Event[]): string =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
