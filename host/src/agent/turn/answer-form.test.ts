import type { ResponseFormat } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { checkSchema } from '#kernel/schema/json-schema.ts'
import { checkForm, describeFormat } from './answer-form.ts'
import { text, world } from './testing/turn-world.ts'

const person: ResponseFormat = {
  ...{ type: 'json-schema', name: 'person' },
  schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}

const formOf = (said: string, responseFormat: ResponseFormat | undefined = person, stop = 'stop') =>
  checkForm(
    { request: { responseFormat }, tools: { forced: false }, checkForeign: checkSchema } as never,
    { text: said, stop, parts: [], calls: [] } as never,
  )

test('the model is told the schema, where there is one', () => {
  expect(describeFormat(person)).toMatch(/one JSON value.*\("person"\).*"required":\["name"\]/s)
  expect(describeFormat({ type: 'json' })).not.toContain('JSON Schema')
})

test('an answer that fits leaves without the fence around it', async () => {
  const json = '{"name":"Ann"}'
  for (const said of [json, ` ${json}\n`, `\`\`\`json\n${json}\n\`\`\``, `\n\`\`\`\n${json}\n\`\`\`\n`, `\`\`\`json\n ${json} \n\`\`\``])
    expect(await formOf(said)).toEqual({ ok: true, text: json })
  expect(await formOf('[1]', { type: 'json' })).toEqual({ ok: true, text: '[1]' })
})

test('what does not fit is told with its place, and words around a fence are no JSON', async () => {
  expect(await formOf('{"name":7}')).toEqual({ ok: false, problem: 'name must be a string, not a number' })
  expect(await formOf('7')).toEqual({ ok: false, problem: 'the value must be an object, not a number' })
  expect(await formOf('Here:\n```json\n{"name":"Ann"}\n```')).toMatchObject({
    ok: false,
    problem: expect.stringContaining('not valid JSON'),
  })
  expect(await formOf('```json\n{"name":"Ann"}\n```\nThat is she.')).toMatchObject({ ok: false })
  expect(await formOf('{"na', person, 'length')).toEqual({ ok: true, text: '{"na' })
})

test('what each request of a turn cost is added up, kind by kind', async () => {
  const cost = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 5 }
  const { run, commits } = world([
    [
      { type: 'call', id: 'a', name: 'echo', args: '{}' },
      { type: 'end', reason: 'tool-calls', usage: cost },
    ],
    [text('Done.'), { type: 'end', reason: 'stop', usage: cost }],
  ])
  const events = await run()
  expect(events.findLast(({ type }) => type === 'usage')).toMatchObject({
    usage: { input: 2, output: 4, cacheRead: 6, cacheWrite: 8, reasoning: 10 },
  })
  expect(commits.length).toBeGreaterThan(0)
})
