// @module-tag server
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { openTestDashboard } from '../support/servers/open-test-dashboard.ts'

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

test('the doors are described by a sound OpenAPI document, made of what they take', async () => {
  await using dashboard = await openTestDashboard()
  const { body } = await dashboard.ask('GET', '/api/openapi.json')
  expect(await new Validator().validate(structuredClone(body))).toEqual({ valid: true })
  const { paths } = body as unknown as Document
  expect(paths['/api/sessions/{id}']?.patch).toMatchObject({
    parameters: [
      { name: 'id', in: 'path' },
      { name: 'profile', in: 'query' },
    ],
    requestBody: { content: { 'application/json': { schema: { required: ['title'], additionalProperties: false } } } },
  })
  const search = paths['/api/sessions/search']?.get?.parameters.map(({ name }) => name)
  expect(search).toEqual(['q', 'limit', 'source', 'profile'])
})

test('each door that it names is there, and no door is left out', async () => {
  await using dashboard = await openTestDashboard()
  const { paths } = (await dashboard.ask('GET', '/api/openapi.json')).body as unknown as Document
  const named = Object.entries(paths).flatMap(([path, operations]) => Object.keys(operations).map((method) => [method, path] as const))
  expect(named.length).toBeGreaterThan(60)
  const missing: string[] = []
  for (const [method, path] of named) {
    // A field that nobody knows: the door is found, and does nothing.
    const { status, body } = await dashboard.ask(method.toUpperCase(), `${path.replace('{id}', 'x')}?no_such_field=1`)
    const { fields } = (body.error ?? {}) as { readonly fields?: Readonly<Record<string, string>> }
    if (status !== 400 || fields?.no_such_field === undefined) missing.push(`${method} ${path}: ${status}`)
  }
  expect(missing).toEqual([])
})
