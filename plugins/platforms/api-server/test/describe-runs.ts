import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import type { ApiUnderTest, OpenApi } from './describe-chat.ts'

interface Run {
  readonly status: string
  readonly output: string
  readonly usage: { readonly total_tokens: number } | null
  readonly error?: { readonly code: string }
}

/** Runs that go on without their client; the same tests for scripted turns and for a whole gateway. */
export function describeRuns(name: string, under: ApiUnderTest & { readonly risky: string }): void {
  describe(name, () => {
    let api: OpenApi
    beforeAll(async () => {
      api = await under.open({ key: 'sk-test' })
    })
    afterAll(() => api.close())
    const ask = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${api.url}/runs${path}`, {
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      })
    const start = async (body: object): Promise<string> => {
      const reply = await ask('', body)
      expect(reply.status).toBe(202)
      return ((await reply.json()) as { run_id: string }).run_id
    }
    const read = async (id: string): Promise<Run> => (await (await ask(`/${id}`)).json()) as Run

    proves('event.api.sse', 'a run is followed by its events and read at its end', async () => {
      const id = await start({ input: under.tool.say })
      const events = await readEvents(await ask(`/${id}/events`))
      expect(events.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['message.start', 'tool.start', 'tool.complete', 'message.delta', 'usage', 'message.complete']),
      )
      // No door renames the events of a turn or keeps back what they carry.
      expect(events.find(({ name }) => name === 'tool.start')?.data).toMatchObject({ args: expect.anything(), preview: expect.any(String) })
      expect(events.find(({ name }) => name === 'tool.complete')?.data).toMatchObject({ ok: true, text: expect.any(String) })
      expect(events.at(-1)).toMatchObject({ name: 'run.completed', data: { run_id: id, usage: { total_tokens: expect.any(Number) } } })
      expect(await read(id)).toMatchObject({ status: 'completed', usage: { total_tokens: expect.any(Number) } })
      const last = events.at(-1)?.id ?? 0
      const again = await readEvents(await ask(`/${id}/events`, undefined, { 'last-event-id': String(last - 1) }))
      expect(again).toEqual(events.slice(-1))
    })

    test('a run says what its answer says', async () => {
      const id = await start({ input: under.long.say })
      const events = await readEvents(await ask(`/${id}/events`))
      expect(events.map(({ name, data }) => (name === 'message.delta' ? data.text : '')).join('')).toMatch(under.long.answer)
      expect((await read(id)).output).not.toBe('')
    })

    test('a run is stopped', async () => {
      const interrupted = api.interrupted()
      const id = await start({ input: under.endless })
      await expect.poll(async () => (await read(id)).status).toBe('running')
      expect(await (await ask(`/${id}/stop`, {})).json()).toEqual({ run_id: id, status: 'stopping' })
      await interrupted
      await expect.poll(async () => (await read(id)).status).toBe('cancelled')
    })

    test('a run that fails tells why', async () => {
      const id = await start({ input: under.fail.say })
      const events = await readEvents(await ask(`/${id}/events`))
      expect(events.at(-1)).toMatchObject({ name: 'run.failed', data: { error: { code: under.fail.code } } })
      expect(await read(id)).toMatchObject({ status: 'failed', error: { code: under.fail.code } })
    })

    test('a run that was named is not started twice', async () => {
      const named = { 'idempotency-key': 'once' }
      const [first, second] = [await ask('', { input: under.greet.say }, named), await ask('', { input: under.greet.say }, named)]
      expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([null, 'true'])
      expect(await second.json()).toEqual(await first.json())
      expect((await ask('', { input: under.fail.say }, named)).status).toBe(409)
    })

    test('a client that wants to be asked approves what is dangerous; unasked it is denied', async () => {
      const denied = await readEvents(await ask(`/${await start({ input: under.risky })}/events`))
      expect(denied.map(({ name }) => name)).not.toContain('approval.request')
      const id = await start({ input: under.risky, approvals: true })
      await expect.poll(async () => (await read(id)).status).toBe('waiting_for_approval')
      expect(await (await ask(`/${id}/approval`, { choice: 'once' })).json()).toMatchObject({ run_id: id, choice: 'once' })
      const names = (await readEvents(await ask(`/${id}/events`))).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['approval.request', 'approval.responded', 'tool.complete']))
      expect(names.at(-1)).toBe('run.completed')
    })
  })
}

interface Event {
  readonly id: number
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

async function readEvents(reply: Response): Promise<readonly Event[]> {
  expect(reply.headers.get('content-type')).toBe('text/event-stream')
  const lines = (await reply.text()).matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.+)$/gm)
  return [...lines].map(([, id, name = '', data = '']) => ({ id: Number(id), name, data: JSON.parse(data) as Event['data'] }))
}
